/**
 * How the times of one placement fit together. A send begins at most `sendStartMs` after its gate and lasts at most `sendMs`,
 * so it is over before a look-up begins, `lookUpGraceMs` after the gate. So look-ups and sends never overlap.
 */
export const sendStartMs = 2_000;
export const sendMs = 8_000;
export const lookUpGraceMs = 12_000;

/** How soon a campaign or a recipient looks again for a caller id, if none is known to become free earlier. */
export const callerIdRetryMs = 5 * 60_000;

/** How soon a campaign looks again whether the scrub lists that it needs are there; an import wakes it before. */
export const scrubRetryMs = 5 * 60_000;

/** How soon a recipient is retried whose number is in another call of the organization. */
export const numberBusyRetryMs = 5_000;

/** How long one request to a provider may take. */
export const questionMs = 5_000;

/** When a call is retried after the connection to its provider failed. */
export const unreachedRetryMs = 1_000;

/** When an unreachable provider is asked again. */
export const unreachableRetryMs = 5_000;

/** How long after its longest duration a call may refuse to be hung up before its line is released anyway. */
export const hangUpPatienceMs = 60_000;

/** When a published wake-up or check is published again, if it had no effect. */
export const republishMs = 5_000;
