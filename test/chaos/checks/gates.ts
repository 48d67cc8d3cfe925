import type { CheckResult, Evidence } from './evidence.ts';
import { mostInASecond } from '../../support/intervals.ts';

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

/** Compares the gate of each attempt with the end of the previous call. */
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
        faults.push(`call ${gate.callId} was dialed ${waitedMs} ms after the end of the previous call`);
      }
    }
  }
  return {
    name: 'no call-back was dialed before its delay had passed',
    faults,
    figures: `${retries} call-backs`,
  };
}

/** Compares the answer of each request with the gates that the request forbids. */
export function noGateAfterAnAnsweredRequest(evidence: Evidence): CheckResult {
  const faults: string[] = [];
  let near = 0;
  const firsts = new Set(new Map(evidence.gates.toReversed().map((gate) => [gate.callId, gate])).values());
  for (const request of evidence.forbidden) {
    const gates = evidence.gates.filter((gate) => {
      if (gate.campaignId !== request.campaignId) return false;
      if (request.phones && !request.phones.has(gate.phone)) return false;
      if (request.begunAttempt !== undefined) {
        return gate.attempt === request.begunAttempt && firsts.has(gate);
      }
      return request.attemptsAbove === undefined || gate.attempt > request.attemptsAbove;
    });
    const instants = gates.map((gate) => gate.gatedAt.getTime());
    near += instants.filter((at) => Math.abs(at - request.fromMs) < 2_000).length;
    const after = instants.filter((at) => at > request.fromMs && at < request.untilMs);
    if (request.perSecond !== undefined) {
      const most = mostInASecond(after);
      if (most > request.perSecond) {
        faults.push(`${request.what}: ${most} gates within a second, ${request.perSecond} allowed`);
      }
    } else if (after.length > 0) {
      const latestMs = Math.max(...after) - request.fromMs;
      faults.push(`${request.what}: ${after.length} gates, up to ${latestMs} ms after its answer`);
    }
  }
  return {
    name: 'no gate opened that an answered request forbade',
    faults,
    figures: `${evidence.forbidden.length} requests, ${near} gates within 2 s of them`,
  };
}
