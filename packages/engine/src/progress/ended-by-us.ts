import type { CallFact, Outcome } from '@outdial/core';

/** The end of a call that no provider told. */
export const endedByUs = (at: Date, outcome: Outcome, externalStatus: string): CallFact => ({
  kind: 'ended',
  eventId: null,
  at,
  outcome,
  details: { externalStatus },
});
