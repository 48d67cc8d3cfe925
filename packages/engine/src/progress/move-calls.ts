import {
  lockAttempts,
  lockLineCaps,
  noteConversations,
  onCommit,
  recipientFinished,
  releaseLines,
  shareCampaignsOfCalls,
  writeOutbox,
  writeProgress,
  type HeldLines,
  type LockedCall,
  type OutboxEvent,
  type RecipientChange,
  type ReleasedLines,
  type Tx,
} from '@outdial/db';
import type { EndingDeps } from '../deps.ts';
import { decideAfterAttempt } from './after-attempt.ts';
import { answeredCall, countMoved, endedCall, type AnsweredCall, type EndedCall } from './count-moved.ts';
import { foldFacts, type CallReport, type FoldedCall } from './fold-facts.ts';
import { nextCheck, type CallTimes } from './next-check.ts';
import { callEvents } from './progress-events.ts';
import { noteTalk, usualTalkMs } from './usual-talk.ts';

export interface Moved {
  /** How many calls ended. */
  ended: number;
  /** Providers whose calls rang, were answered or ended as their own. True if one of these calls was the probe. */
  progressed: ReadonlyMap<string, boolean>;
  released: ReleasedLines;
}

/**
 * The only function that moves or ends calls. For each report (an event, a look-up, a refusal, a confirmed hang-up, a wait for a line that
 * timed out), at most one per call, it writes the call's state, its outcome, its line, its recipient's next step and the outbox in one
 * transaction, and counts the call after the commit. A repeated final fact releases the line only once.
 */
export async function moveCalls(
  tx: Tx,
  { settings: times, metrics }: { settings: CallTimes } & Pick<EndingDeps, 'metrics'>,
  reports: readonly CallReport[],
): Promise<Moved> {
  const byId = new Map(reports.map((report) => [report.callId, report]));
  await lockLineCaps(tx);
  await shareCampaignsOfCalls(tx, [...byId.keys()]);
  const { now, attempts, areCapped } = await lockAttempts(tx, [...byId.keys()]);
  const changed: FoldedCall[] = [];
  const recipients: RecipientChange[] = [];
  const freed: HeldLines[] = [];
  const answered: AnsweredCall[] = [];
  const ended: EndedCall[] = [];
  const events: OutboxEvent[] = [];
  const debtConversations: string[] = [];
  const progressed = new Map<string, boolean>();
  for (const { call, of } of attempts) {
    const report = byId.get(call.id);
    // No provider has a call that waits for a line, so late events of its undone attempt are ignored. Likewise, a call that was placed
    // no longer waits for a line.
    if (!report || (call.phase === 'queued') !== (report.whileQueued ?? false)) continue;
    const folded = fold(call, report, times, now);
    if (!folded.changed) continue;
    changed.push(folded);
    if (hasProgressed(folded, report)) {
      progressed.set(call.provider, progressed.get(call.provider) === true || isProbe(call));
    }
    events.push(...callEvents(folded));
    const answer = answeredCall(folded);
    if (answer !== null) answered.push(answer);
    const end = endedCall(folded);
    if (end === null) continue;
    ended.push(end);
    const { outcome, talkMs } = end;
    if (call.campaign_id !== null && talkMs !== null) noteTalk(call.campaign_id, talkMs);
    const purpose = of === null ? call.purpose : of.rules.purpose;
    if (outcome === 'completed' && purpose === 'debt_collection') debtConversations.push(call.id);
    const change = of && decideAfterAttempt(folded.call, of.recipient, of.rules, outcome, now);
    const isAllThatChanged = change?.state !== 'pending';
    const { organization_id: organizationId, campaign_id: campaignId, provider } = call;
    // A correction has no line to release, but may change which recipients are due.
    if (call.line_held || campaignId !== null) {
      freed.push({ organizationId, campaignId, provider, count: call.line_held ? 1 : 0, isAllThatChanged });
    }
    // A transfer has a line of the provider and the organization, but none of the campaign.
    if (call.transfer_line) freed.push({ organizationId, campaignId: null, provider, count: 1 });
    if (of === null || !change) continue;
    recipients.push(change);
    events.push(...recipientFinished(change));
  }
  await writeProgress(tx, { calls: changed, recipients });
  await noteConversations(tx, debtConversations, now);
  const released = await releaseLines(tx, freed, now, { areCapped });
  await writeOutbox(tx, events, now);
  onCommit(tx, () => countMoved(metrics, { answered, ended }));
  return { ended: ended.length, progressed, released };
}

/** An end by ourselves tells nothing of the provider, nor does one that may be the account's. */
function hasProgressed(folded: FoldedCall, { facts, withoutAcceptance }: CallReport): boolean {
  if (withoutAcceptance === true || facts.some((fact) => fact.kind === 'ended' && fact.fault)) return false;
  return folded.started || folded.ended?.corrected === false;
}

export const isProbe = ({ events }: Pick<LockedCall, 'events'>): boolean =>
  events.some((event) => event.type === 'placed' && event['probe'] === true);

function fold(call: LockedCall, report: CallReport, times: CallTimes, now: Date): FoldedCall {
  const folded = foldFacts(call, report, now);
  if (folded.call.phase === 'ended') {
    folded.call.check_at = null;
    return folded;
  }
  const { campaign_id: campaignId } = call;
  const usual = campaignId === null ? null : usualTalkMs(campaignId);
  const checkAt = nextCheck(folded.call, report, { times, usualTalkMs: usual, now });
  if (checkAt.getTime() !== call.check_at?.getTime()) folded.changed = true;
  folded.call.check_at = checkAt;
  return folded;
}
