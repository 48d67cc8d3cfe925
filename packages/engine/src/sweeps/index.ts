export * from './check-due-calls.ts';
export * from './reconcile-line-counters.ts';
export * from './release-expired-claims.ts';
export * from './retry-queued-calls.ts';
export * from './wake-due-campaigns.ts';
export * from './wake-stranded-campaigns.ts';
export * from './withdraw-queued-calls.ts';
export * from './withdraw-recipients.ts';
