import type { CallFact, Outcome } from '@outdial/core';

/** The end of a call that no provider reported. */
export const endedByUs = (at: Date, outcome: Outcome, externalStatus: string): CallFact => ({
  kind: 'ended',
  eventId: null,
  at,
  outcome,
  details: { externalStatus },
});
