import { canNoLongerArrive, wasDisclaimed } from '../gateway/dial-log.ts';
import type { CheckResult, Evidence } from './evidence.ts';
import { mostAtOnce } from '../../support/intervals.ts';

/** The gateway and the database have the same accepted calls. */
export function acceptedCallsAgree(evidence: Evidence): CheckResult {
  const byGateway = new Set(
    evidence.seen.filter((call) => call.acceptedAtMs !== null).map((call) => call.callId),
  );
  const byDatabase = new Set(
    evidence.calls.filter((call) => call.accepted_at !== null).map((call) => call.id),
  );
  const missing = [...byGateway].filter((id) => !byDatabase.has(id));
  const extra = [...byDatabase].filter((id) => !byGateway.has(id));
  return {
    name: 'the gateway and the database agree on the accepted calls',
    faults: [
      ...missing.map((id) => `the gateway accepted call ${id}, but the database does not have that`),
      ...extra.map((id) => `call ${id} is accepted in the database, but the gateway never accepted it`),
    ],
    figures: `${byGateway.size} accepted`,
  };
}

/** Each attempt has one call id. It may have another one only if the gateway refused the first, or could no longer accept it. */
export function noAttemptIsDialedTwice(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  const attempts = Map.groupBy(evidence.seen, (call) => `${call.campaignId} ${call.toPhone} ${call.attempt}`);
  for (const calls of attempts.values()) {
    const open = calls.filter((call) => !wasDisclaimed(call) && !canNoLongerArrive(call, calls));
    if (open.length > 1) {
      const [first] = open;
      faults.push(`attempt ${first?.attempt} went out as ${open.map((call) => call.callId).join(' and ')}`);
    }
  }
  const repeats = evidence.seen.reduce((sum, call) => sum + Math.max(0, call.posts.length - 1), 0);
  return {
    name: 'no attempt was dialed twice',
    faults,
    figures: `${attempts.size} attempts, ${repeats} posts repeated under the same call id`,
  };
}

/** Each gate permits one send, however often its job was delivered. */
export function noGateIsSentTwice(evidence: Evidence): CheckResult {
  const gates = Map.groupBy(evidence.gates, (gate) => gate.callId);
  const faults = evidence.seen.flatMap((call) => {
    const passed = gates.get(call.callId)?.length ?? 0;
    return call.posts.length > passed
      ? [`call ${call.callId} was sent ${call.posts.length} times and passed ${passed} gates`]
      : [];
  });
  return { name: 'no call was sent more often than it passed a gate', faults, figures: '' };
}

/** A call is live at the gateway from its acceptance to its end. */
export function noTwoLiveCalls(evidence: Evidence): CheckResult {
  const live = evidence.seen.flatMap((call) =>
    call.acceptedAtMs === null
      ? []
      : [{ ...call, fromMs: call.acceptedAtMs, untilMs: call.endedAtMs ?? Number.POSITIVE_INFINITY }],
  );
  const faults: string[] = [];
  for (const [who, calls] of Map.groupBy(live, (call) => `${call.organizationId} ${call.toPhone}`)) {
    if (mostAtOnce(calls) > 1) {
      faults.push(`${who.slice(-4)}: ${calls.map((call) => call.callId).join(', ')} at once`);
    }
  }
  const shared = [...Map.groupBy(live, (call) => call.toPhone).values()].filter(
    (calls) => new Set(calls.map((call) => call.campaignId)).size > 1,
  );
  return {
    name: 'no number of an organization was in two live calls',
    faults,
    figures: `${shared.length} numbers were called by both campaigns`,
  };
}

/** In the database, attempts are numbered without gaps, and each one has one row. */
export function attemptsAreCounted(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  const calls = Map.groupBy(evidence.calls, (call) => call.recipient_id ?? '');
  for (const recipient of evidence.recipients) {
    const own = (calls.get(recipient.id) ?? []).toSorted((one, other) => one.attempt - other.attempt);
    const numbers = own.map((call) => call.attempt).join(',');
    const wanted = Array.from({ length: recipient.attempts }, (_, n) => n + 1).join(',');
    if (numbers !== wanted) {
      faults.push(
        `recipient ${recipient.id} has ${recipient.attempts} attempts, but its calls are numbered ${numbers}`,
      );
    }
    const last = own.at(-1);
    if (last && recipient.state === 'done' && recipient.last_outcome !== last.outcome) {
      faults.push(
        `recipient ${recipient.id} has the outcome ${recipient.last_outcome}, but its last call has ${last.outcome}`,
      );
    }
  }
  return {
    name: 'attempts and outcomes of recipients agree with their calls',
    faults,
    figures: `${evidence.calls.length} calls`,
  };
}
