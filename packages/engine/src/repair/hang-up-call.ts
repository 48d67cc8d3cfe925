import { findLiveCalls } from '@outdial/db';
import type { DialingDeps } from '../deps.ts';
import { questionMs } from '../timing.ts';
import { referenceTo } from '../send/call-reference.ts';
import { withDeadline } from '../send/with-deadline.ts';

/** Hangs up a call after an event, such as an answering machine. If the provider cannot be reached, the call ends at its longest duration. */
export async function hangUpCall(
  deps: Pick<DialingDeps, 'db' | 'log' | 'providers'>,
  callId: string,
): Promise<void> {
  const [call] = await findLiveCalls(deps.db, [callId]);
  const provider = call && deps.providers.get(call.provider);
  if (!provider) return;
  const result = await withDeadline(questionMs, (signal) => provider.hangUp(referenceTo(call), signal));
  if (result.kind !== 'unreachable') return;
  deps.log.warn(
    { call_id: callId, provider: call.provider, reason: result.reason },
    'could not hang up a call',
  );
}
