import type { CallReference } from '@outdial/core';
import type { TwilioClient } from './client.ts';
import type { KnownCall } from './known-call.ts';
import type { TwilioSettings } from './settings.ts';

/** The tolerance before and after the request: clocks differ, and a request takes a while. */
const earlierMs = 5_000;
const laterMs = 20_000;
/** No number is called more often within the tolerance. */
const looksAtMost = 50;

export type FindResult =
  | { kind: 'known'; call: KnownCall }
  | { kind: 'unknown' }
  | { kind: 'unreachable'; reason: string };

/**
 * Finds the call of a request whose answer was lost. A Call resource has no field for our id, so the search looks for a call to this number from our
 * caller id that was created at the time of the request and belongs to no other call. With no match, or several, the call stays unknown
 * (docs/twilio.md). Usually a callback, which names the call, arrives first.
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
  // Both instants are on the database's clock, which may differ from Twilio's. Only their distance is used.
  const askedAtMs = now.getTime() - (call.now.getTime() - call.gatedAt.getTime());
  const from = call.fromPhone ?? settings.fromPhone;
  const taken = new Set(call.takenConversationIds);
  const candidates = answer.value.filter((one) => {
    // A call that was created this moment may have no date yet.
    const createdMs = one.dateCreated?.getTime() ?? Number.NaN;
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
