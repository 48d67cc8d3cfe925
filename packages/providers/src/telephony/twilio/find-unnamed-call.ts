import type { CallReference } from '@outdial/core';
import type { TwilioClient } from './client.ts';
import type { KnownCall } from './known-call.ts';
import type { TwilioSettings } from './settings.ts';

/** Clocks differ, and a request takes a while. */
const earlierMs = 5_000;
const laterMs = 20_000;
/** No number is called more often within that time. */
const looksAtMost = 50;

export type FindResult =
  | { kind: 'known'; call: KnownCall }
  | { kind: 'unknown' }
  | { kind: 'unreachable'; reason: string };

/**
 * The call of a request whose answer was lost. A Call resource keeps nothing that its creator could put there, so it is told by what it
 * must be: a call from here to this number, created when this one was asked for, that no other call has claimed. Only a single one will
 * do; with none or several, the call stays unknown (docs/twilio.md). Callbacks, which name the call, usually come first.
 */
export async function findUnnamedCall(
  client: TwilioClient,
  settings: Pick<TwilioSettings, 'fromPhone'>,
  call: CallReference,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<FindResult> {
  const answer = await client.ask(
    (twilio) => twilio.calls.list({ to: call.toPhone, limit: looksAtMost, pageSize: looksAtMost }),
    signal,
  );
  if (answer.kind !== 'ok') {
    const reason = answer.kind === 'refused' ? `twilio_http_${answer.status}` : answer.reason;
    return { kind: 'unreachable', reason };
  }
  // Both instants are the database's, whose clock need not be Twilio's; how long ago it was, holds on any.
  const askedAtMs = now.getTime() - (call.now.getTime() - call.gatedAt.getTime());
  const from = call.fromPhone ?? settings.fromPhone;
  const taken = new Set(call.takenConversationIds);
  const candidates = answer.value.filter((one) => {
    const createdMs = one.dateCreated.getTime();
    return (
      one.direction === 'outbound-api' &&
      (from === null || one.from === from) &&
      createdMs >= askedAtMs - earlierMs &&
      createdMs <= askedAtMs + laterMs &&
      !taken.has(one.sid)
    );
  });
  const [only] = candidates;
  return only && candidates.length === 1 ? { kind: 'known', call: only } : { kind: 'unknown' };
}
