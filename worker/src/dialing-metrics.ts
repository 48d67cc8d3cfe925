import type { EngineMetrics } from '@outdial/engine';
import type { Metrics } from '@outdial/runtime';

/** What the engine counts, in the metrics of this process. */
export function dialingMetrics({
  callsPlaced,
  callsEnded,
  callsDeferred,
  gateRefused,
}: Metrics): EngineMetrics {
  return {
    callPlaced: (provider) => callsPlaced.inc({ provider }),
    callEnded: (outcome) => callsEnded.inc({ outcome }),
    gateRefused: (reason) => gateRefused.inc({ reason }),
    callDeferred: (provider, reason) => callsDeferred.inc({ provider, reason: wordOf(reason) }),
  };
}

/** Codes of providers, such as `http_503` or `20429`; all other reasons are one series. */
function wordOf(reason: string): string {
  return /^[a-z0-9_]{1,30}$/.test(reason) ? reason : 'other';
}
