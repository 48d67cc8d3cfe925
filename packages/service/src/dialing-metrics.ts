import type { EngineMetrics } from '@outdial/engine';
import type { Metrics } from '@outdial/runtime';

/** Each organization adds one series per outcome and process. */
const organizationsAtMost = 50;

const recorders = new WeakMap<Metrics, EngineMetrics>();

/** Records the engine's events in the metrics of this process. All callers share one recorder, because it bounds the series of organizations. */
export function dialingMetrics(metrics: Metrics): EngineMetrics {
  const recorder = recorders.get(metrics) ?? createRecorder(metrics);
  recorders.set(metrics, recorder);
  return recorder;
}

function createRecorder(metrics: Metrics): EngineMetrics {
  const organizationLabel = boundedLabel(organizationsAtMost);
  return {
    callPlaced: (provider) => metrics.callsPlaced.inc({ provider }),
    providerAnswered: (provider, result, ms) =>
      metrics.providerAnswer.observe({ provider, result }, ms / 1_000),
    callAnswered: ({ provider }, ms) => metrics.gateToAnswer.observe({ provider }, ms / 1_000),
    callEnded(outcome, { provider, organizationId }, talkMs) {
      metrics.callsEnded.inc({ outcome, provider });
      metrics.organizationCallsEnded.inc({ outcome, organization: organizationLabel(organizationId) });
      if (talkMs !== null) metrics.answerToOutcome.observe({ provider }, talkMs / 1_000);
    },
    gateRefused: (reason) => metrics.gateRefused.inc({ reason }),
    callDeferred: (provider, reason) => metrics.callsDeferred.inc({ provider, reason: reasonLabel(reason) }),
  };
}

/** Keeps codes of providers such as `http_503` or `20429`. All other reasons share one series. */
function reasonLabel(reason: string): string {
  return /^[a-z0-9_]{1,30}$/.test(reason) ? reason : 'other';
}

/** Gives the first values their own series and all others `other`, because Prometheus keeps every series that it has seen. */
function boundedLabel(atMost: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= atMost) return 'other';
    known.add(value);
    return value;
  };
}
