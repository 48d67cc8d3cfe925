export const defaultCallTimes = { ringTimeoutSeconds: 45, maxCallSeconds: 1_800 };
