import type { CallFact, LookUpResult, WithdrawResult } from '@outdial/core';
import type { CallInstance } from 'twilio/lib/rest/api/v2010/account/call.js';
import { externalStatusOf, isMachine, outcomeOf, type TwilioEnd } from './call-outcome.ts';
import { statusEventId } from './form.ts';

/** The fields of a Call resource that we use. */
export type KnownCall = Pick<
  CallInstance,
  'sid' | 'status' | 'startTime' | 'endTime' | 'duration' | 'price' | 'answeredBy'
>;

/** "Empty if the call has not yet been dialed" (https://www.twilio.com/docs/voice/api/call-resource). */
export function wasDialed(call: Pick<KnownCall, 'startTime'>): boolean {
  // Twilio may answer null, although the SDK's type does not allow it.
  const startTime: Date | null | undefined = call.startTime;
  return startTime instanceof Date && !Number.isNaN(startTime.getTime());
}

/** The progress of a call, from its Call resource. */
export function foundCall(call: KnownCall, recordingUrl: string | null, now: Date): LookUpResult {
  if (call.status === 'canceled' && !wasDialed(call)) return { kind: 'withdrawn' };
  return {
    kind: 'found',
    conversationId: call.sid,
    progress: progressOf(call, recordingUrl, now),
    nextChangeAt: null,
  };
}

function progressOf(call: KnownCall, recordingUrl: string | null, now: Date): CallFact[] {
  const { status } = call;
  const told = { eventId: statusEventId(call.sid, status), at: now };
  switch (status) {
    case 'queued':
      return [];
    case 'ringing':
      return [{ ...told, kind: 'ringing' }];
    case 'in-progress':
      return [{ ...told, kind: 'answered', at: call.startTime ?? now }, ...machineFact(call, now)];
    case 'completed':
    case 'busy':
    case 'no-answer':
    case 'failed':
    case 'canceled': {
      const end: TwilioEnd = { status, answeredBy: call.answeredBy, sipCode: null, errorCode: null };
      const durationSeconds = secondsOf(call.duration);
      const at = call.endTime ?? now;
      return [
        ...answeredBefore(call, durationSeconds, at),
        {
          ...told,
          kind: 'ended',
          at,
          outcome: outcomeOf(end),
          details: {
            externalStatus: externalStatusOf(end),
            durationSeconds,
            cost: costOf(call.price),
            ...(recordingUrl !== null && { recordingUrl }),
          },
        },
      ];
    }
    default:
      // An unknown status changes nothing.
      return [];
  }
}

/** A completed call with a duration was answered, even if the answer was not reported. */
function answeredBefore(call: KnownCall, durationSeconds: number | null, endedAt: Date): CallFact[] {
  if (call.status !== 'completed' || durationSeconds === null || durationSeconds === 0) return [];
  return [
    {
      kind: 'answered',
      eventId: statusEventId(call.sid, 'in-progress'),
      at: new Date(endedAt.getTime() - durationSeconds * 1000),
    },
  ];
}

function machineFact(call: KnownCall, now: Date): CallFact[] {
  const { answeredBy } = call;
  if (!isMachine(answeredBy)) return [];
  return [{ kind: 'machine', eventId: statusEventId(call.sid, 'machine'), at: now, answeredBy }];
}

/** Twilio writes numbers as text, and leaves the text empty if it has no value. */
function secondsOf(duration: string | null): number | null {
  return duration !== null && /^\d+$/.test(duration) ? Number(duration) : null;
}

/** In the account's currency. Twilio reports a charge as a negative number, some time after the end. */
function costOf(price: string | null): number | null {
  const amount = Number(price ?? Number.NaN);
  return Number.isFinite(amount) ? Math.abs(amount) : null;
}

/** Whether a call that we tried to cancel will never be dialed. */
export function withdrawalOf(call: KnownCall): WithdrawResult {
  if (call.status === 'queued') return { kind: 'unreachable', reason: 'it is still queued' };
  return call.status === 'canceled' && !wasDialed(call) ? { kind: 'withdrawn' } : { kind: 'too_late' };
}
