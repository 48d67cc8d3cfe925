/** How long calls may ring and last where the process is not told. */
export const defaultCallTimes = { ringTimeoutSeconds: 45, maxCallSeconds: 1_800 };
