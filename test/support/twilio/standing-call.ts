import { randomBytes } from 'node:crypto';
import type { Course } from './course.ts';

export type CallStatus =
  | 'queued'
  | 'ringing'
  | 'in-progress'
  | 'completed'
  | 'busy'
  | 'failed'
  | 'no-answer'
  | 'canceled';

/** A call of the stand-in. */
export interface StandingCall {
  sid: string;
  accountSid: string;
  /** The form of the request that created it. */
  form: URLSearchParams;
  course: Course;
  status: CallStatus;
  createdAt: Date;
  startTime: Date | null;
  answeredAt: Date | null;
  endTime: Date | null;
  answeredBy: string | null;
  /** The number of callbacks so far. */
  sequence: number;
  recordingSid: string | null;
}

export const newSid = (prefix: 'CA' | 'RE') => `${prefix}${randomBytes(16).toString('hex')}`;

export function isOver(call: StandingCall): boolean {
  return !['queued', 'ringing', 'in-progress'].includes(call.status);
}

export function secondsOf(call: StandingCall): number {
  if (call.answeredAt === null || call.endTime === null) return 0;
  // Twilio rounds up to whole seconds.
  return Math.ceil((call.endTime.getTime() - call.answeredAt.getTime()) / 1000);
}

/** RFC 2822, as in all of Twilio's times. */
export const rfc2822 = (at: Date) => at.toUTCString().replace('GMT', '+0000');

/** The resource of the API (`api.v2010.account.call`). */
export function callResource(call: StandingCall): object {
  const base = `/2010-04-01/Accounts/${call.accountSid}/Calls/${call.sid}`;
  const to = call.form.get('To');
  const from = call.form.get('From');
  const duration = isOver(call) && call.answeredAt !== null ? String(secondsOf(call)) : null;
  return {
    sid: call.sid,
    account_sid: call.accountSid,
    api_version: '2010-04-01',
    date_created: rfc2822(call.createdAt),
    date_updated: rfc2822(call.endTime ?? call.createdAt),
    parent_call_sid: null,
    to,
    to_formatted: to,
    from,
    from_formatted: from,
    phone_number_sid: null,
    status: call.status,
    start_time: call.startTime && rfc2822(call.startTime),
    end_time: call.endTime && rfc2822(call.endTime),
    duration,
    price: duration === null ? null : '-0.01300',
    price_unit: 'USD',
    direction: 'outbound-api',
    answered_by: call.answeredBy,
    forwarded_from: null,
    group_sid: null,
    caller_name: null,
    queue_time: '0',
    trunk_sid: null,
    uri: `${base}.json`,
    subresource_uris: { recordings: `${base}/Recordings.json` },
  };
}

/** `api.v2010.account.call.call_recording`. */
export function recordingResource(call: StandingCall, sid: string): object {
  return {
    sid,
    account_sid: call.accountSid,
    call_sid: call.sid,
    conference_sid: null,
    api_version: '2010-04-01',
    date_created: call.answeredAt && rfc2822(call.answeredAt),
    date_updated: call.endTime && rfc2822(call.endTime),
    start_time: call.answeredAt && rfc2822(call.answeredAt),
    duration: String(secondsOf(call)),
    price: null,
    price_unit: 'USD',
    status: 'completed',
    channels: 1,
    source: 'OutboundAPI',
    error_code: null,
    track: 'both',
    encryption_details: null,
    uri: `/2010-04-01/Accounts/${call.accountSid}/Calls/${call.sid}/Recordings/${sid}.json`,
  };
}
