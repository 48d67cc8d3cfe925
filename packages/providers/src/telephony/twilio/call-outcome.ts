import type { Outcome } from '@outdial/core';
import { errorCodes } from './error-codes.ts';

/** The end of a call in Twilio's terms. */
export interface TwilioEnd {
  status: 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled';
  /** `human`, `machine_start`, `machine_end_beep`, `fax`, …; null if detection was off. */
  answeredBy: string | null;
  /** The carrier's SIP response. Status callbacks have it, the Call resource does not. */
  sipCode: number | null;
  errorCode: number | null;
}

/** Whether a machine took the call (https://www.twilio.com/docs/voice/answering-machine-detection). */
export function isMachine(answeredBy: string | null): boolean {
  return answeredBy !== null && (answeredBy.startsWith('machine') || answeredBy === 'fax');
}

/** SIP responses that are more precise than Twilio's status (RFC 3261, section 21; RFC 8197 for 607). */
const sipOutcomes: Readonly<Record<number, Outcome>> = {
  404: 'invalid_number',
  410: 'invalid_number',
  484: 'invalid_number',
  604: 'invalid_number',
  603: 'rejected',
  607: 'rejected',
  486: 'busy',
  600: 'busy',
  408: 'no_answer',
  480: 'no_answer',
};

/** Maps an end to an outcome. Twilio's status comes first; the carrier's response refines it. */
export function outcomeOf({ status, answeredBy, sipCode, errorCode }: TwilioEnd): Outcome {
  const bySip = sipCode === null ? undefined : sipOutcomes[sipCode];
  switch (status) {
    case 'completed':
      return isMachine(answeredBy) ? 'voicemail' : 'completed';
    case 'busy':
      return bySip === 'rejected' ? 'rejected' : 'busy';
    case 'no-answer':
      return bySip === 'rejected' ? 'rejected' : 'no_answer';
    case 'canceled':
      return 'canceled';
    case 'failed': {
      const byCode = errorCode === null ? undefined : errorCodes[errorCode];
      if (byCode?.kind === 'outcome') return byCode.outcome;
      return bySip ?? 'failed';
    }
  }
}

/** Twilio's own terms, stored with the call. */
export function externalStatusOf({ status, sipCode, errorCode, answeredBy }: TwilioEnd): string {
  return [
    status,
    ...(sipCode === null || sipCode === 200 ? [] : [`sip ${sipCode}`]),
    ...(errorCode === null ? [] : [`error ${errorCode}`]),
    ...(answeredBy !== null && isMachine(answeredBy) ? [answeredBy] : []),
  ].join(', ');
}
