import { retriedOutcomes } from '../gateway/behaviour.ts';
import type { CheckResult, Evidence } from './evidence.ts';

const finalStates = new Set(['done', 'withdrawn', 'suppressed']);

export function everyoneIsFinal(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  for (const campaign of evidence.campaigns) {
    const status = evidence.statuses.get(campaign.id);
    if (status !== 'finished') faults.push(`campaign ${campaign.name} is ${status}`);
    const own = evidence.recipients.filter((recipient) => recipient.campaign_id === campaign.id);
    if (own.length !== campaign.size) {
      faults.push(`campaign ${campaign.name} has ${own.length} of ${campaign.size}`);
    }
  }
  const open = evidence.recipients.filter((recipient) => !finalStates.has(recipient.state));
  for (const [state, those] of Map.groupBy(open, (recipient) => recipient.state)) {
    faults.push(`${those.length} recipients are ${state}, such as ${those[0]?.id}`);
  }
  for (const call of evidence.calls) {
    if (call.phase !== 'ended') faults.push(`call ${call.id} is ${call.phase}`);
  }
  return {
    name: 'every recipient is final, both campaigns are finished',
    faults,
    figures: `${evidence.recipients.length} recipients`,
  };
}

/** Every recipient with attempts left was called back, even if the last call ended during a pause. */
export function everyRetryWasMade(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  const retried = new Set<string>(retriedOutcomes);
  const calls = Map.groupBy(evidence.calls, (call) => call.recipient_id ?? '');
  let inPause = 0;
  for (const campaign of evidence.campaigns) {
    const pauses = evidence.pauses.filter((pause) => pause.campaignId === campaign.id);
    for (const recipient of evidence.recipients) {
      if (recipient.campaign_id !== campaign.id) continue;
      const own = calls.get(recipient.id) ?? [];
      const last = own.toSorted((one, other) => other.attempt - one.attempt)[0];
      if (!last) {
        faults.push(`recipient ${recipient.id} (${recipient.state}) was never dialed`);
        continue;
      }
      inPause += own.filter(
        (call) =>
          call !== last &&
          pauses.some(({ fromMs, resumedByMs }) => isWithin(call.ended_at, fromMs, resumedByMs)),
      ).length;
      if (recipient.attempts > campaign.callBackAttempts || !retried.has(last.outcome ?? '')) continue;
      faults.push(
        `recipient ${recipient.id} was given up after ${recipient.attempts} attempts: ${last.outcome}`,
      );
    }
  }
  return {
    name: 'every recipient that was not reached used its attempts',
    faults,
    figures: `${inPause} of the calls before a call-back ended during a pause`,
  };
}

function isWithin(at: Date | null, fromMs: number, untilMs: number): boolean {
  return at !== null && at.getTime() >= fromMs && at.getTime() <= untilMs;
}

export function noCallLasts(evidence: Evidence): CheckResult {
  const open = evidence.seen.filter((call) => call.acceptedAtMs !== null && call.endedAtMs === null);
  return {
    name: 'no call is in progress at the gateway',
    faults: open.map((call) => `call ${call.callId} is in progress`),
    figures: `${evidence.seen.filter((call) => call.hungUp).length} hung up`,
  };
}
