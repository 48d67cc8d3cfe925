const failuresToOpen = 3;
const firstPauseMs = 2_000;
const longestPauseMs = 30_000;

export type EndpointCircuit = ReturnType<typeof createEndpointCircuit>;

/** The circuit breaker of one endpoint in one process. After a pause, the next request is the probe. `now` is in milliseconds. */
export function createEndpointCircuit() {
  let failures = 0;
  let openUntil = 0;
  return {
    isOpen: (now: number) => now < openUntil,
    failed(now: number) {
      failures += 1;
      if (failures < failuresToOpen || now < openUntil) return;
      openUntil = now + Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - failuresToOpen, 10));
    },
    answered() {
      failures = 0;
      openUntil = 0;
    },
  };
}
