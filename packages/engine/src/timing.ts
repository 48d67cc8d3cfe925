/**
 * How the times of one placement fit together. A send begins at most `sendStartMs` after its gate and lasts at most `sendMs`,
 * so it is over before anyone looks the call up, `lookUpGraceMs` after the gate: a look-up never races a send.
 */
export const sendStartMs = 2_000;
export const sendMs = 8_000;
export const lookUpGraceMs = 12_000;

/** How soon a campaign or a recipient looks again for a caller id, where none is known to be free before. */
export const callerIdRetryMs = 5 * 60_000;

/** How soon a recipient is tried again whose number is in another call of the organization. */
export const numberBusyRetryMs = 5_000;

/** How long one question to a provider may take. */
export const questionMs = 5_000;

/** When a call is tried again for which no connection to its provider came about. */
export const unreachedRetryMs = 1_000;

/** When a provider that could not be reached is asked again. */
export const unreachableRetryMs = 5_000;

/** After its longest duration, how long a call may refuse to be hung up before its line is taken back regardless. */
export const hangUpPatienceMs = 60_000;

/** When a wake-up or a check that was published is published again, if nothing came of it. */
export const republishMs = 5_000;
