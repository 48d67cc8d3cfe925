import type { AriClient } from './ari-client.ts';
import { canceledVariableOf, endVariableOf } from './names.ts';
import type { CallEnding } from './outcome.ts';

/** Takes a global variable away. An empty value would stay for ever, and Asterisk looks through all of them for each. */
export async function clearVariable(ari: AriClient, variable: string): Promise<void> {
  await ari.ask({ method: 'POST', path: '/asterisk/variable', query: { variable } });
}

/** Clears the data of a call on the Asterisk once it is recorded. This tells other processes that it is. */
export async function clearEnd(
  ari: AriClient,
  callId: string,
  ending: Pick<CallEnding, 'canceled'>,
): Promise<void> {
  if (ending.canceled) await clearVariable(ari, canceledVariableOf(callId));
  await clearVariable(ari, endVariableOf(callId));
}
