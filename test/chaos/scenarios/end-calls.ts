import type { Outcome } from '@outdial/core';
import { engineNow } from '@outdial/db';
import { applyReports } from '@outdial/engine';
import type { ScenarioEngine } from './engine.ts';

/** Records ends as their provider reports them, in one transaction. */
export async function endCalls(
  { deps }: ScenarioEngine,
  callIds: readonly string[],
  outcome: Outcome,
): Promise<void> {
  const at = await engineNow(deps.db);
  const fact = { kind: 'ended' as const, eventId: `end ${outcome}`, at, outcome, details: {} };
  await applyReports(
    deps,
    callIds.map((callId) => ({ callId, facts: [fact] })),
  );
}
