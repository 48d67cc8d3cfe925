import type { CallFault, Outcome } from '@outdial/core';
import { faultOfSip, outcomeOfSip } from '../sip-statuses.ts';
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

/** Maps an end to an outcome. Twilio's status comes first; the carrier's response refines it. */
export function outcomeOf({ status, answeredBy, sipCode, errorCode }: TwilioEnd): Outcome {
  const bySip = sipCode === 408 || sipCode === 480 ? 'no_answer' : outcomeOfSip(sipCode);
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

/** Twilio accepts calls before it knows whether it can place them. A caller id or instructions may be an agent's, so they are not judged here. */
export function faultOf({ status, sipCode, errorCode }: TwilioEnd): CallFault | undefined {
  if (status !== 'failed') return undefined;
  const byCode = errorCode === null ? undefined : errorCodes[errorCode];
  const code = `twilio_${errorCode}`;
  switch (byCode?.kind) {
    case 'misconfigured':
      return byCode.side === 'account' ? { code, remedy: byCode.remedy } : undefined;
    case 'defer':
      return { code, remedy: `${byCode.about}: lower the provider's lines or calls per second` };
    case 'outcome':
      return undefined;
    default:
      if (errorCode === null) return faultOfSip(sipCode);
      return { code, remedy: "look the code up in Twilio's list of errors", isUnknownCode: true };
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
