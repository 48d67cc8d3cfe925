import {
  deleteLateRecordings,
  lockAttempts,
  lockLineCaps,
  noteConversations,
  onCommit,
  recipientFinished,
  releaseLines,
  shareCampaignsOfCalls,
  writeOutbox,
  writeProgress,
  type CampaignKey,
  type HeldLines,
  type LockedCall,
  type OutboxEvent,
  type RecipientChange,
  type ReleasedLines,
  type Tx,
  type LockedRecipient,
  type CallEventData,
} from '@outdial/db';
import type { EndingDeps, CountedCall, EngineMetrics } from '../deps.ts';
import { foldFacts, type CallReport, type FoldedCall } from './fold-facts.ts';
import { nextCheck, type CallTimes } from './next-check.ts';
import { decideStoredStep, type CampaignRules, type Outcome, publicCallStatus } from '@outdial/core';
import { LRUCache } from 'lru-cache';

export interface Moved {
  ended: number;
  /** Providers whose calls rang, were answered or ended as their own. True if one of these calls was the probe. */
  progressed: ReadonlyMap<string, boolean>;
  released: ReleasedLines;
  /** The campaigns that a change holds, by the calls that were left out. */
  held: ReadonlyMap<string, CampaignKey>;
}

/**
 * The only function that moves or ends calls. For each report (an event, a look-up, a refusal, a confirmed hang-up, a wait for a line that
 * timed out), at most one per call, it writes the call's state, its outcome, its line, its recipient's next step and the outbox in one
 * transaction, and counts the call after the commit. A repeated final fact releases the line only once.
 * @param options.waits whether it waits for campaigns that a change holds. Otherwise it leaves out their calls.
 */
export async function moveCalls(
  tx: Tx,
  { settings: times, metrics }: { settings: CallTimes } & Pick<EndingDeps, 'metrics'>,
  reports: readonly CallReport[],
  { waits }: { waits: boolean } = { waits: true },
): Promise<Moved> {
  await lockLineCaps(tx);
  const callIds = reports.map(({ callId }) => callId);
  const held = await shareCampaignsOfCalls(tx, callIds, { waits });
  const free = reports.filter(({ callId }) => !held.has(callId));
  const byId = new Map(free.map((report) => [report.callId, report]));
  const { now, attempts, areCapped } = await lockAttempts(tx, [...byId.keys()]);
  const found = new Set(attempts.map(({ call }) => call.id));
  const late = free.filter(({ callId }) => !found.has(callId));
  await deleteLateRecordings(tx, late.flatMap(recordingOf));
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
  return { ended: ended.length, progressed, released, held };
}

function recordingOf({ callId, facts }: CallReport): Array<{ callId: string; recordingUrl: string }> {
  const urls = facts.map((fact) => {
    if (fact.kind === 'recording') return fact.recordingUrl;
    return fact.kind === 'ended' ? fact.details.recordingUrl : null;
  });
  const recordingUrl = urls.findLast((url) => url != null);
  return recordingUrl == null ? [] : [{ callId, recordingUrl }];
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

/** Decides the next step of a recipient after an attempt, under the current rules. Null if a later attempt has begun. */
function decideAfterAttempt(
  call: LockedCall,
  recipient: LockedRecipient,
  rules: CampaignRules,
  outcome: Outcome,
  now: Date,
): RecipientChange | null {
  const isLive = recipient.state === 'dialing' && recipient.call_id === call.id;
  const isLast =
    recipient.attempts === call.attempt && ['done', 'pending', 'withdrawn'].includes(recipient.state);
  if (!isLive && !isLast) return null;
  const row = {
    ...recipient,
    last_outcome: outcome,
    next_attempt_at: null,
    // The round of the call, because the recipient may be in a later one by now.
    call_round: call.round,
    call_round_attempt: call.round_attempt,
    call_gated_at: call.gated_at,
    call_ended_at: now,
    call_outcome: outcome,
  };
  const { organization_id: organizationId, campaign_id: campaignId } = call;
  if (campaignId === null) throw new Error('a recipient without a campaign');
  const step = decideStoredStep(rules, row, now);
  // The end withdrew the recipient, and no caller.
  const isByEnd = step.finishReason === 'withdrawn' && recipient.finish_reason === 'campaign_ended';
  if (isByEnd) step.finishReason = 'campaign_ended';
  return { organizationId, campaignId, recipientId: recipient.id, ...step };
}

interface AnsweredCall extends CountedCall {
  /** From the gate to the answer. */
  waitedMs: number;
}

interface EndedCall extends CountedCall {
  outcome: Outcome;
  /** From the answer to the outcome; null without an answer, or if the outcome only corrects an earlier one. */
  talkMs: number | null;
}

function answeredCall({ answered, call }: FoldedCall): AnsweredCall | null {
  if (!answered || call.gated_at === null || call.answered_at === null) return null;
  return { ...counted(call), waitedMs: call.answered_at.getTime() - call.gated_at.getTime() };
}

function endedCall({ ended, call }: FoldedCall): EndedCall | null {
  if (ended === null) return null;
  const { answered_at: answeredAt, ended_at: endedAt } = call;
  const isTimed = answeredAt !== null && endedAt !== null && !ended.corrected;
  return {
    ...counted(call),
    outcome: ended.outcome,
    talkMs: isTimed ? endedAt.getTime() - answeredAt.getTime() : null,
  };
}

function counted({ provider, organization_id: organizationId }: FoldedCall['call']): CountedCall {
  return { provider, organizationId };
}

function countMoved(
  metrics: Pick<EngineMetrics, 'callAnswered' | 'callEnded'>,
  moved: { answered: readonly AnsweredCall[]; ended: readonly EndedCall[] },
): void {
  for (const call of moved.answered) metrics.callAnswered?.(call, call.waitedMs);
  for (const call of moved.ended) metrics.callEnded(call.outcome, call, call.talkMs);
}

function callEvents(folded: FoldedCall): OutboxEvent[] {
  const { call } = folded;
  const of = {
    organizationId: call.organization_id,
    campaignId: call.campaign_id,
    recipientId: call.recipient_id,
    callId: call.id,
  };
  const started = { attempt: call.attempt, status: 'init' as const, started_at: iso(call.gated_at) };
  const events: OutboxEvent[] = [];
  if (folded.started) events.push({ type: 'call.started', ...of, data: started });
  if (folded.answered) {
    const data = { ...started, status: 'start' as const, answered_at: iso(call.answered_at) };
    events.push({ type: 'call.answered', ...of, data });
  }
  if (folded.ended?.corrected === false) events.push({ type: 'call.ended', ...of, data: endData(call) });
  if (folded.changedAfterEnd.size > 0) {
    const data = { ...endData(call), changed: [...folded.changedAfterEnd] };
    events.push({ type: 'call.updated', ...of, data });
  }
  return events;
}

function endData(call: LockedCall): CallEventData {
  return {
    attempt: call.attempt,
    status: publicCallStatus(call.phase, call.outcome),
    outcome: call.outcome ?? undefined,
    started_at: iso(call.gated_at),
    answered_at: iso(call.answered_at),
    ended_at: iso(call.ended_at),
    duration: call.duration_seconds ?? undefined,
    external_status: call.external_status ?? undefined,
  };
}

function iso(at: Date | null): string | undefined {
  return at?.toISOString();
}

/** The weight of the newest call, so that the mean follows a change of the agent within some calls. */
const weight = 1 / 8;
const campaignsAtMost = 10_000;

/** By campaign, from the calls whose end this process recorded. Only decides when to look, so each process may know another mean. */
const meansMs = new LRUCache<string, number>({ max: campaignsAtMost });

function noteTalk(campaignId: string, talkMs: number): void {
  const mean = meansMs.get(campaignId);
  meansMs.set(campaignId, mean === undefined ? talkMs : mean + (talkMs - mean) * weight);
}

/** Null if none of the campaign's conversations has ended here. */
function usualTalkMs(campaignId: string): number | null {
  return meansMs.get(campaignId) ?? null;
}
