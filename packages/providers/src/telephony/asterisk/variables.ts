import type { AriAnswer, AriClient } from './ari-client.ts';
import { variable } from './ari-events.ts';
import { readEndRecord, type EndRecord } from './end-record.ts';
import { canceledVariableOf, endVariableOf } from './names.ts';
import type { CallEnding } from './outcome.ts';

/** Of a channel, or a global one. Null if Asterisk does not say. */
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

/** Takes a global variable away. An empty value would stay for ever, and Asterisk looks through all of them for each. */
export async function clearVariable(ari: AriClient, name: string): Promise<void> {
  await ari.ask({ method: 'POST', path: pathOf(undefined), query: { variable: name } });
}

/** What the dialplan wrote down about the end of a call; null if there is nothing. */
export async function readEnd(ari: AriClient, callId: string): Promise<EndRecord | null> {
  const text = await readVariable(ari, endVariableOf(callId));
  return text === null ? null : readEndRecord(text);
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
