import { findAgentConfig, type Tx } from '@outdial/db';
import { fieldFault } from '../../http/errors.ts';

/** Checks that the agent of a caller id belongs to the organization and is not deleted. @throws ValidationError */
export async function requireAgent(
  tx: Tx,
  organizationId: string,
  agentId: string | null | undefined,
): Promise<void> {
  if (agentId == null || (await findAgentConfig(tx, { organizationId, agentId })) !== null) return;
  throw fieldFault('agent_id', 'There is no such agent');
}
