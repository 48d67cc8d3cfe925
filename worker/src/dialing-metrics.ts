import type { EngineMetrics } from '@outdial/engine';
import type { Metrics } from '@outdial/runtime';

/** What the engine counts, in the metrics of this process. */
export function dialingMetrics({ callsPlaced, callsEnded, gateRefused }: Metrics): EngineMetrics {
  return {
    callPlaced: (provider) => callsPlaced.inc({ provider }),
    callEnded: (outcome) => callsEnded.inc({ outcome }),
    gateRefused: (reason) => gateRefused.inc({ reason }),
  };
}
