import type { CheckResult, Evidence } from './evidence.ts';
import {
  noGateAfterAnAnsweredRequest,
  noGateAfterTheLastAttempt,
  noGateBeforeTheRetryDelay,
  noGateInAPause,
  noGateOutsideTheWindow,
} from './gates.ts';
import { callsPerSecond, linesAsTheGatewaySaw, linesByTheRows, noLineIsLeaked } from './limits.ts';
import { everyoneIsFinal, everyRetryWasMade, noCallLasts } from './none-forgotten.ts';
import {
  acceptedCallsAgree,
  attemptsAreCounted,
  noAttemptIsDialedTwice,
  noGateIsSentTwice,
  noTwoLiveCalls,
} from './none-twice.ts';

function onlySignedRequests(evidence: Evidence): CheckResult {
  return { name: 'every request to the gateway was signed', faults: evidence.unsigned, figures: '' };
}

function outboxTells(evidence: Evidence): CheckResult {
  const name = 'the outbox agrees with the rows of calls, recipients and campaigns';
  return { name, faults: evidence.outboxFaults, figures: `${evidence.calls.length} calls` };
}

/** The checks that must pass at the end of every run. */
export const checks: ReadonlyArray<(evidence: Evidence) => CheckResult> = [
  everyoneIsFinal,
  everyRetryWasMade,
  noCallLasts,
  acceptedCallsAgree,
  noAttemptIsDialedTwice,
  noGateIsSentTwice,
  noTwoLiveCalls,
  attemptsAreCounted,
  noGateOutsideTheWindow,
  noGateInAPause,
  noGateAfterTheLastAttempt,
  noGateBeforeTheRetryDelay,
  noGateAfterAnAnsweredRequest,
  linesAsTheGatewaySaw,
  linesByTheRows,
  callsPerSecond,
  noLineIsLeaked,
  onlySignedRequests,
  outboxTells,
];
