import type { AriAnswer, AriClient } from './ari-client.ts';
import { variable } from './ari-events.ts';
import { readEndRecord, type EndRecord } from './end-record.ts';
import { canceledVariableOf, endVariableOf } from './names.ts';
import type { CallEnding } from './outcome.ts';

/** Reads a variable of a channel, or a global one without `channelId`. Null if Asterisk does not answer. */
export async function readVariable(ari: AriClient, name: string, channelId?: string): Promise<string | null> {
  const answer = await ari.ask({ method: 'GET', path: pathOf(channelId), query: { variable: name } });
  return answer.kind === 'done' ? (variable.safeParse(answer.body).data?.value ?? null) : null;
}

export function setVariable(
  ari: AriClient,
  [name, value]: readonly [name: string, value: string],
  channelId?: string,
): Promise<AriAnswer> {
  return ari.ask({ method: 'POST', path: pathOf(channelId), query: { variable: name, value } });
}

const pathOf = (channelId: string | undefined) =>
  channelId === undefined ? '/asterisk/variable' : `/channels/${channelId}/variable`;

/** Deletes a global variable. One that is only set to '' would stay forever, and Asterisk searches all of them for each look-up. */
export async function clearVariable(ari: AriClient, name: string): Promise<void> {
  await ari.ask({ method: 'POST', path: pathOf(undefined), query: { variable: name } });
}

/** Reads the dialplan's end record of a call; null if there is none. */
export async function readEnd(ari: AriClient, callId: string): Promise<EndRecord | null> {
  const text = await readVariable(ari, endVariableOf(callId));
  return text === null ? null : readEndRecord(text);
}

/** Clears the end record of a call on the Asterisk once the engine has recorded the end. This tells the other processes that it has. */
export async function clearEnd(
  ari: AriClient,
  callId: string,
  ending: Pick<CallEnding, 'canceled'>,
): Promise<void> {
  if (ending.canceled) await clearVariable(ari, canceledVariableOf(callId));
  await clearVariable(ari, endVariableOf(callId));
}
