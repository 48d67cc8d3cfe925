/**
 * A send starts at most `sendStartMs` after its gate and lasts at most `sendMs`. The first look-up starts `lookUpGraceMs` after the gate, so
 * sends and look-ups of a call never overlap.
 */
export const sendStartMs = 2_000;
export const sendMs = 8_000;
export const lookUpGraceMs = 12_000;

/** When to look for a caller id again, if none is known to become free earlier. */
export const callerIdRetryMs = 5 * 60_000;

/** When to look again whether a number was queried. */
export const numberQueryRetryMs = 15 * 60_000;

/** When a campaign checks its scrub lists again. An import wakes it earlier. */
export const scrubRetryMs = 5 * 60_000;

/** When to retry a recipient whose number is in another call of the organization. */
export const numberBusyRetryMs = 5_000;

/** The timeout of a request to a provider, except sends. */
export const questionMs = 5_000;

/** When to retry a call after the connection to its provider failed. */
export const unreachedRetryMs = 1_000;

/** When to try a campaign again whose agent's faults a provider refuses. */
export const agentFaultRetryMs = 30_000;

/** When to repeat a request to an unreachable provider. */
export const unreachableRetryMs = 5_000;

/** If hanging up a call fails for this long, its line is released anyway. */
export const hangUpPatienceMs = 60_000;

/** When to publish a wake-up or check again that had no effect. */
export const republishMs = 5_000;

/** When to look again for capacity on a media server. */
export const mediaRetryMs = 2_000;

/** When to look for a call whose attempt waits to be undone. Changes of a campaign last less. */
export const heldCheckMs = 60_000;
