import { callerId, viewOf } from '@outdial/contracts';
import { findAgentConfig, type Tx } from '@outdial/db';
import { z } from 'zod';
import { fieldFault } from '../../http/errors.ts';

const counts = z.looseObject({ calls_last_hour: z.unknown(), calls_last_day: z.unknown() });

/** Without the counts, which every call changes. */
export function callerIdVersion(data: unknown): unknown {
  const { calls_last_hour: _hour, calls_last_day: _day, ...rest } = counts.parse(data);
  return rest;
}

export const callerIdView = viewOf(callerId);

/** Checks that the agent of a caller id belongs to the organization and is not deleted. @throws ValidationError */
export async function requireAgent(
  tx: Tx,
  organizationId: string,
  agentId: string | null | undefined,
): Promise<void> {
  if (agentId == null || (await findAgentConfig(tx, { organizationId, agentId })) !== null) return;
  throw fieldFault('agent_id', 'There is no such agent');
}
