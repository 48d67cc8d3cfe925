import {
  holdCalls,
  holdRecipients,
  inTransaction,
  loadCampaignDefinitions,
  releaseLines,
  writeCalls,
  writeRecipients,
  type HeldCall,
  type HeldLines,
  type LineHeirs,
  type RecipientChange,
  type Tx,
} from '@outdial/db';
import type { ControlDeps, DialingSettings, EngineMetrics } from '../deps.ts';
import { hintHeirs } from '../hints.ts';
import { decideAfterAttempt } from './after-attempt.ts';
import { foldFacts, type CallReport, type FoldedCall } from './fold-facts.ts';

export interface ProgressDeps extends ControlDeps {
  settings: Pick<DialingSettings, 'ringTimeoutSeconds' | 'maxCallSeconds'>;
  metrics: Pick<EngineMetrics, 'callEnded'>;
}

export interface Applied {
  /** Known calls, changed or not. */
  known: number;
  changed: number;
  ended: number;
}

/** The time a provider may take on top of ringing, before it is asked. */
const overdueMs = 15_000;

/**
 * Moves calls forward by what was reported of them, in one transaction: states, outcomes, lines, retries and wake-ups.
 * A final fact releases its line exactly once, however often it comes. At most one report a call in a batch.
 */
export async function applyReports(deps: ProgressDeps, reports: readonly CallReport[]): Promise<Applied> {
  const done = await inTransaction(deps.db, (tx) => applyIn(tx, deps, reports));
  for (const outcome of done.outcomes) deps.metrics.callEnded(outcome);
  await hintHeirs(deps, { ...done.heirs, campaignIds: [...done.campaignIds, ...done.heirs.campaignIds] });
  return { known: done.known, changed: done.changed, ended: done.outcomes.length };
}

interface Done {
  known: number;
  changed: number;
  outcomes: string[];
  campaignIds: string[];
  heirs: LineHeirs;
}

async function applyIn(tx: Tx, deps: ProgressDeps, reports: readonly CallReport[]): Promise<Done> {
  const byId = new Map(reports.map((report) => [report.callId, report]));
  const { now, calls } = await holdCalls(tx, [...byId.keys()]);
  const folds: FoldedCall[] = [];
  for (const call of calls) {
    const report = byId.get(call.id);
    if (!report) continue;
    const fold = foldFacts(call, report, now);
    const checkAt = nextCheck(fold.call, report, deps.settings, now);
    if (checkAt.getTime() !== call.checkAt?.getTime() && fold.call.phase !== 'ended') fold.changed = true;
    fold.call.checkAt = fold.call.phase === 'ended' ? null : checkAt;
    if (fold.changed) folds.push(fold);
  }
  await writeCalls(
    tx,
    folds.map((fold) => ({ ...fold.call, newEvents: fold.newEvents })),
  );
  const ended = folds.filter((fold) => fold.ended !== null);
  await writeRecipients(tx, await decideRecipients(tx, ended, now));
  const wasHeld = new Map(calls.map((call) => [call.id, call.lineHeld]));
  const freed: HeldLines[] = ended
    .filter(({ call }) => wasHeld.get(call.id) === true)
    .map(({ call }) => ({
      organizationId: call.organizationId,
      campaignId: call.campaignId,
      provider: call.provider,
      count: 1,
    }));
  return {
    known: calls.length,
    changed: folds.length,
    outcomes: ended.flatMap(({ ended: end }) => (end ? [end.outcome] : [])),
    campaignIds: ended.flatMap(({ call }) => (call.campaignId === null ? [] : [call.campaignId])),
    heirs: await releaseLines(tx, freed, now),
  };
}

async function decideRecipients(tx: Tx, ended: readonly FoldedCall[], now: Date): Promise<RecipientChange[]> {
  const ofRecipients = ended.flatMap((fold) => {
    const { organizationId, campaignId, recipientId } = fold.call;
    if (campaignId === null || recipientId === null || fold.ended === null) return [];
    return [
      { call: fold.call, outcome: fold.ended.outcome, key: { organizationId, campaignId, recipientId } },
    ];
  });
  if (ofRecipients.length === 0) return [];
  const recipients = new Map(
    (
      await holdRecipients(
        tx,
        ofRecipients.map(({ key }) => key),
      )
    ).map((recipient) => [recipient.id, recipient]),
  );
  const definitions = await loadCampaignDefinitions(tx, [
    ...new Set(ofRecipients.map(({ key }) => key.campaignId)),
  ]);
  return ofRecipients.flatMap(({ call, outcome, key }) => {
    const recipient = recipients.get(key.recipientId);
    const definition = definitions.get(key.campaignId);
    const change = recipient && definition && decideAfterAttempt(call, recipient, definition, outcome, now);
    return change ? [change] : [];
  });
}

/** When to ask the provider if nothing more is heard: as it said itself, else once the call is overdue. */
function nextCheck(call: HeldCall, report: CallReport, settings: ProgressDeps['settings'], now: Date): Date {
  const longestEnd = longestEndOf(call, settings);
  const wanted =
    report.nextChangeAt ??
    (call.phase === 'answered' || call.acceptedAt === null
      ? (call.checkAt ?? longestEnd)
      : new Date((call.gatedAt ?? now).getTime() + settings.ringTimeoutSeconds * 1000 + overdueMs));
  if (call.phase === 'answered' && !report.nextChangeAt) return longestEnd;
  return wanted < longestEnd ? wanted : longestEnd;
}

/** The instant past which a call is hung up: the longest ringing and the longest conversation after its gate. */
export function longestEndOf(
  call: { gatedAt: Date | null; answeredAt: Date | null },
  settings: ProgressDeps['settings'],
): Date {
  const talkMs = settings.maxCallSeconds * 1000;
  if (call.answeredAt !== null) return new Date(call.answeredAt.getTime() + talkMs);
  return new Date((call.gatedAt?.getTime() ?? 0) + settings.ringTimeoutSeconds * 1000 + talkMs);
}
