import type { CallFault, Outcome } from '@outdial/core';
import { faultOfSip, outcomeOfSip } from '../sip-statuses.ts';

/** The facts about an ended call. docs/asterisk.md shows the same table as this file. */
export interface CallEnding {
  /** The phone rang, or the network played ringing (180 or 183). */
  rang: boolean;
  answered: boolean;
  /** Asterisk's hangup cause, numbered as in Q.850 (table 1); 0 if there is none. */
  cause: number;
  /** The final SIP response, or null if the carrier sent none. */
  sipStatus: number | null;
  /** Answering machine detection has found a machine. */
  machine: boolean;
  /** The engine hung up. */
  canceled: boolean;
  /** The call was answered, but could not be connected to the agent's voice runtime. */
  handoffFailed: boolean;
}

const byCause: ReadonlyMap<number, Outcome> = new Map([
  [1, 'invalid_number'],
  [22, 'invalid_number'],
  [28, 'invalid_number'],
  [17, 'busy'],
  [21, 'rejected'],
  // Subscriber absent: a mobile that is off or out of reach never rings.
  [20, 'no_answer'],
]);

/** No cause, and normal clearing. */
const cleared: ReadonlySet<number> = new Set([0, 16]);

/** Causes that mean "no answer" if the phone rang. Without ringing, it is not certain that a person was called at all. */
const unanswered: ReadonlySet<number> = new Set([0, 16, 18, 19]);

/**
 * How an attempt ended. Asterisk's dial status is not used, because it is NOANSWER for 404 and 603 too. A dead trunk ends with cause 19 ("no answer")
 * without ringing, which is the carrier's failure.
 */
export function outcomeOf(ending: CallEnding): Outcome {
  if (ending.handoffFailed) return 'failed';
  if (ending.answered) return ending.machine ? 'voicemail' : 'completed';
  if (ending.canceled) return 'canceled';
  const known = outcomeOfSip(ending.sipStatus) ?? byCause.get(ending.cause);
  if (known) return known;
  return ending.rang && unanswered.has(ending.cause) ? 'no_answer' : 'failed';
}

/** A phone that rang was reached, whatever the carrier answers afterwards. A trunk that is down, or is no SIP trunk, has a cause only, which may be the number's too. */
export function faultOf({ rang, answered, canceled, sipStatus, cause }: CallEnding): CallFault | undefined {
  if (rang || answered || canceled) return undefined;
  if (sipStatus !== null) return faultOfSip(sipStatus);
  if (byCause.has(cause) || cleared.has(cause)) return undefined;
  const remedy = 'the trunk does not place the call: check its registration, its address and its channels';
  return { code: `cause_${cause}`, remedy, isUnknownCode: true };
}
