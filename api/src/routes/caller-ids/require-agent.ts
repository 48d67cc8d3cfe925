import { findAgentConfig, type Tx } from '@outdial/db';
import { ValidationError } from '../../http/errors.ts';

/** A caller id names no agent of another organization, and none that was deleted. @throws ValidationError. */
export async function requireAgent(
  tx: Tx,
  organizationId: string,
  agentId: string | null | undefined,
): Promise<void> {
  if (agentId == null || (await findAgentConfig(tx, { organizationId, agentId })) !== null) return;
  throw new ValidationError([
    { loc: ['body', 'agent_id'], msg: 'There is no such agent', type: 'value_error' },
  ]);
}
