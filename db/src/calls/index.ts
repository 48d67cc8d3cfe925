export { annotateCall, type CallAnnotations } from './annotate-call.ts';
export type { CallRow } from './call-row.ts';
export { findCall } from './find-call.ts';
export { findCallProvider } from './find-call-provider.ts';
export { findLiveCallsOfProvider } from './find-live-calls-of-provider.ts';
export { type CallFilters, listCalls, type ListedCallRow } from './list-calls.ts';
