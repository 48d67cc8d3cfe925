import type { CheckResult, Evidence } from './evidence.ts';
import { mostInASecond } from './intervals.ts';

export function noGateOutsideTheWindow(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  let around = 0;
  for (const { id, name, shut } of evidence.campaigns) {
    if (!shut) continue;
    for (const gate of evidence.gates) {
      if (gate.campaignId !== id) continue;
      const atMs = gate.gatedAt.getTime();
      if (Math.abs(atMs - shut.fromMs) < 2_000) around += 1;
      if (atMs >= shut.fromMs && atMs < shut.untilMs) {
        faults.push(`${name}: call ${gate.callId} at ${gate.gatedAt.toISOString()}`);
      }
    }
  }
  return {
    name: 'no gate opened outside the window',
    faults,
    figures: `${around} within 2 s of its closing`,
  };
}

export function noGateInAPause(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  for (const pause of evidence.pauses) {
    for (const gate of evidence.gates) {
      const atMs = gate.gatedAt.getTime();
      if (gate.campaignId === pause.campaignId && atMs > pause.fromMs && atMs < pause.untilMs) {
        faults.push(`call ${gate.callId} at ${gate.gatedAt.toISOString()}`);
      }
    }
  }
  return {
    name: 'no gate opened after a pause had committed',
    faults,
    figures: `${evidence.pauses.length} pauses`,
  };
}

export function noGateAfterTheLastAttempt(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  for (const { id, callBackAttempts } of evidence.campaigns) {
    for (const gate of evidence.gates) {
      if (gate.campaignId === id && gate.attempt > callBackAttempts + 1) {
        faults.push(`call ${gate.callId} is attempt ${gate.attempt} of ${callBackAttempts + 1}`);
      }
    }
  }
  return {
    name: 'no gate opened after the last allowed attempt',
    faults,
    figures: `${evidence.gates.length} gates`,
  };
}

/** By instants: the gate of an attempt, and the end of the call before it. */
export function noGateBeforeTheRetryDelay(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  let retries = 0;
  const ends = new Map(
    evidence.calls.map((call) => [`${call.campaign_id} ${call.phone_number} ${call.attempt}`, call.ended_at]),
  );
  for (const { id, retryDelaySeconds } of evidence.campaigns) {
    for (const gate of evidence.gates) {
      if (gate.campaignId !== id || gate.attempt === 1) continue;
      retries += 1;
      const endedAt = ends.get(`${id} ${gate.phone} ${gate.attempt - 1}`);
      const waitedMs = endedAt ? gate.gatedAt.getTime() - endedAt.getTime() : 0;
      if (waitedMs < retryDelaySeconds * 1_000) {
        faults.push(`call ${gate.callId} was dialed ${waitedMs} ms after the end of the one before`);
      }
    }
  }
  return {
    name: 'no call-back was dialed before its delay had passed',
    faults,
    figures: `${retries} call-backs`,
  };
}

/** By instants: an answered request, and the gates that it forbids. */
export function noGateAfterAnAnsweredRequest(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  let beside = 0;
  const firsts = new Set(new Map(evidence.gates.toReversed().map((gate) => [gate.callId, gate])).values());
  for (const no of evidence.forbidden) {
    const gates = evidence.gates.filter((gate) => {
      if (gate.campaignId !== no.campaignId) return false;
      if (no.phones && !no.phones.has(gate.phone)) return false;
      if (no.begunAttempt !== undefined) return gate.attempt === no.begunAttempt && firsts.has(gate);
      return no.attemptsAbove === undefined || gate.attempt > no.attemptsAbove;
    });
    const instants = gates.map((gate) => gate.gatedAt.getTime());
    beside += instants.filter((at) => Math.abs(at - no.fromMs) < 2_000).length;
    const after = instants.filter((at) => at > no.fromMs && at < no.untilMs);
    if (no.perSecond !== undefined) {
      const most = mostInASecond(after);
      if (most > no.perSecond) {
        faults.push(`${no.what}: ${most} gates within a second, ${no.perSecond} allowed`);
      }
    } else if (after.length > 0) {
      const latestMs = Math.max(...after) - no.fromMs;
      faults.push(`${no.what}: ${after.length} gates, up to ${latestMs} ms after its answer`);
    }
  }
  return {
    name: 'no gate opened that an answered request forbade',
    faults,
    figures: `${evidence.forbidden.length} requests, ${beside} gates within 2 s of them`,
  };
}
