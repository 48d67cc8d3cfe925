import {
  lockAttempts,
  inTransaction,
  lockLineCaps,
  releaseLines,
  writeProgress,
  type LockedCall,
  type HeldLines,
  type RecipientChange,
  type ReleasedLines,
  type Tx,
} from '@outdial/db';
import type { ControlDeps, DialingSettings, EngineMetrics } from '../deps.ts';
import { enqueueLineWaiters } from '../enqueue.ts';
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
  const woken = await done.released.woken;
  const { lineWaiters } = done.released;
  await enqueueLineWaiters(deps, { ...lineWaiters, campaignIds: [...woken, ...lineWaiters.campaignIds] });
  return { known: done.known, changed: done.changed, ended: done.outcomes.length };
}

interface Done {
  known: number;
  changed: number;
  outcomes: string[];
  released: ReleasedLines;
}

async function applyIn(tx: Tx, deps: ProgressDeps, reports: readonly CallReport[]): Promise<Done> {
  const byId = new Map(reports.map((report) => [report.callId, report]));
  await lockLineCaps(tx);
  const { now, attempts, areCapped } = await lockAttempts(tx, [...byId.keys()]);
  const changed: FoldedCall[] = [];
  const recipients: RecipientChange[] = [];
  const freed: HeldLines[] = [];
  const outcomes: string[] = [];
  for (const { call, of } of attempts) {
    const report = byId.get(call.id);
    // A call that waits for its line is with no provider, whatever a late event of a placement that was taken back says.
    if (!report || call.phase === 'queued') continue;
    const folded = fold(call, report, deps.settings, now);
    if (!folded.changed) continue;
    changed.push(folded);
    if (folded.ended === null) continue;
    const { outcome } = folded.ended;
    outcomes.push(outcome);
    const change = of && decideAfterAttempt(folded.call, of.recipient, of.definition, outcome, now);
    const isAllThatChanged = change?.state !== 'pending';
    const { organizationId, campaignId, provider } = call;
    // A correction has no line to give back, but may have changed who is due.
    freed.push({ organizationId, campaignId, provider, count: call.lineHeld ? 1 : 0, isAllThatChanged });
    if (of === null || !change) continue;
    recipients.push(change);
    const { state, claimProvider } = of.recipient;
    // The claim of an attempt that had not begun goes, and its line with it.
    if (state === 'claimed' && claimProvider !== null) {
      freed.push({ organizationId, campaignId, provider: claimProvider, count: 1, isAllThatChanged });
    }
  }
  await writeProgress(tx, { calls: changed, recipients });
  const released = await releaseLines(tx, freed, now, { areCapped });
  return { known: attempts.length, changed: changed.length, outcomes, released };
}

function fold(
  call: LockedCall,
  report: CallReport,
  settings: ProgressDeps['settings'],
  now: Date,
): FoldedCall {
  const folded = foldFacts(call, report, now);
  if (folded.call.phase === 'ended') {
    folded.call.checkAt = null;
    return folded;
  }
  const checkAt = nextCheck(folded.call, report, settings, now);
  if (checkAt.getTime() !== call.checkAt?.getTime()) folded.changed = true;
  folded.call.checkAt = checkAt;
  return folded;
}

/** When to ask the provider if nothing more is heard: as it said itself, else once the call is overdue. */
function nextCheck(
  call: LockedCall,
  report: CallReport,
  settings: ProgressDeps['settings'],
  now: Date,
): Date {
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
