import { canNoLongerArrive, wasDisclaimed } from '../gateway/dial-log.ts';
import type { CheckResult, Evidence } from './evidence.ts';
import { groupBy, mostAtOnce } from './intervals.ts';

/** The gateway's calls and the database's are the same ones. */
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
    name: 'the gateway accepted exactly the calls that the database says it accepted',
    faults: [
      ...missing.map((id) => `call ${id} was accepted and the database does not know`),
      ...extra.map((id) => `call ${id} is accepted in the database and was never by the gateway`),
    ],
    figures: `${byGateway.size} accepted`,
  };
}

/** One call id for each attempt; another one only where the gateway had said that it would not take the first, or where it no longer could. */
export function noAttemptIsDialedTwice(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  const attempts = groupBy(evidence.seen, (call) => `${call.campaignId} ${call.toPhone} ${call.attempt}`);
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

/** A gate lets one send out, however often its job was delivered. */
export function noGateIsSentTwice(evidence: Evidence): CheckResult {
  const gates = groupBy(evidence.gates, (gate) => gate.callId);
  const faults = evidence.seen.flatMap((call) => {
    const passed = gates.get(call.callId)?.length ?? 0;
    return call.posts.length > passed
      ? [`call ${call.callId} was sent ${call.posts.length} times and passed ${passed} gates`]
      : [];
  });
  return { name: 'no call was sent more often than it passed a gate', faults, figures: '' };
}

/** As the gateway saw it: from its accepting to its end. */
export function noTwoLiveCalls(evidence: Evidence): CheckResult {
  const live = evidence.seen.flatMap((call) =>
    call.acceptedAtMs === null
      ? []
      : [{ ...call, fromMs: call.acceptedAtMs, untilMs: call.endedAtMs ?? Number.POSITIVE_INFINITY }],
  );
  const faults: string[] = [];
  for (const [who, calls] of groupBy(live, (call) => `${call.organizationId} ${call.toPhone}`)) {
    if (mostAtOnce(calls) > 1) {
      faults.push(`${who.slice(-4)}: ${calls.map((call) => call.callId).join(', ')} at once`);
    }
  }
  const shared = [...groupBy(live, (call) => call.toPhone).values()].filter(
    (calls) => new Set(calls.map((call) => call.campaignId)).size > 1,
  );
  return {
    name: 'no number of an organization was in two live calls',
    faults,
    figures: `${shared.length} numbers were called by both campaigns`,
  };
}

/** In the database as well: attempts are numbered without gaps, and each has one row. */
export function attemptsAreCounted(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  const calls = groupBy(evidence.calls, (call) => call.recipient_id ?? '');
  for (const recipient of evidence.recipients) {
    const own = (calls.get(recipient.id) ?? []).toSorted((one, other) => one.attempt - other.attempt);
    const numbers = own.map((call) => call.attempt).join(',');
    const wanted = Array.from({ length: recipient.attempts }, (_, n) => n + 1).join(',');
    if (numbers !== wanted) {
      faults.push(`recipient ${recipient.id} counts ${recipient.attempts}, its calls are ${numbers}`);
    }
    const last = own.at(-1);
    if (last && recipient.state === 'done' && recipient.last_outcome !== last.outcome) {
      faults.push(`recipient ${recipient.id} says ${recipient.last_outcome}, its last call ${last.outcome}`);
    }
  }
  return {
    name: 'attempts and outcomes of recipients agree with their calls',
    faults,
    figures: `${evidence.calls.length} calls`,
  };
}
