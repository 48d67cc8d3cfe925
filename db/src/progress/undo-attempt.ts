import { decideStoredStep, isFinalCampaignStatus, type StoredStep, type StoredStepRow } from '@outdial/core';
import { sql } from 'kysely';
import { freeCallerIds } from '../caller-ids/permits.ts';
import { uncountDial } from '../compliance/person-caps.ts';
import { undoConsentUse } from '../compliance/consent-of-dial.ts';
import { refusalsCounted, type UndoneFor } from '../compliance/refusals.ts';
import { writeOutbox } from '../outbox/write-outbox.ts';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';
import { loadCampaignDefinition, type CampaignDefinition } from '../campaigns/campaign-definition.ts';
import { shareCampaignsOfCalls } from '../campaigns/campaign-lifecycle.ts';
import type { GateReason } from '../gate/conditions.ts';
import { lockLineCaps } from '../lines/line-caps.ts';
import { releaseLines, type LineWaiters } from '../lines/lines.ts';
import {
  changedRecipients,
  recipientFinished,
  storedStepColumns,
  type RecipientChange,
} from '../campaigns/recipient-change.ts';
import type { CampaignKey } from '../keys.ts';

export interface AttemptToUndo {
  callId: string;
  gatedAt: Date;
  retryAt: Date;
  now: Date;
  queueTimeoutSeconds: number;
  /** Counted among the refusals of the recipient, because a deleted call has no receipt. */
  why: UndoneFor | GateReason;
  /** The provider had accepted the call, and confirms that it never dialed it and never will. */
  isWithdrawn?: boolean;
}

export interface UndoneAttempt {
  lineWaiters: LineWaiters;
}

/**
 * Undoes an attempt: deletes the row of the call and burns no attempt. A direct call waits for a line again. The recipient is replanned by its
 * remaining calls and the current rules, because these may have changed meanwhile, and is due at `retryAt` or the planned instant, whichever is
 * later.
 *
 * Null if the attempt no longer belongs to the caller, because it was sent again under a later gate, or because its hang-up was requested. The
 * latter ends as `canceled`, and is not dialed under another id.
 */
export async function undoAttempt(tx: Tx, attempt: AttemptToUndo): Promise<UndoneAttempt | null> {
  await lockLineCaps(tx);
  await shareCampaignsOfCalls(tx, [attempt.callId]);
  return undoShared(tx, attempt);
}

/** The same, but `held` if a change holds its campaign, for which it would wait. */
export async function undoUnlessHeld(tx: Tx, attempt: AttemptToUndo): Promise<UndoneAttempt | 'held' | null> {
  await lockLineCaps(tx);
  const held = await shareCampaignsOfCalls(tx, [attempt.callId], { waits: false });
  return held.size > 0 ? 'held' : undoShared(tx, attempt);
}

async function undoShared(tx: Tx, args: AttemptToUndo): Promise<UndoneAttempt | null> {
  const { callId, now } = args;
  const { rows } = await sql<{
    organization_id: string;
    campaign_id: string | null;
    recipient_id: string | null;
    provider: string;
  }>`select organization_id, campaign_id, recipient_id, provider from calls
     where id = ${callId} and phase = 'placing' and (accepted_at is null or ${args.isWithdrawn ?? false}) and gated_at = ${args.gatedAt}
       and hangup_requested_at is null for update`.execute(tx);
  const call = rows[0];
  if (!call) return null;
  const { organization_id: organizationId, campaign_id: campaignId, recipient_id: recipientId } = call;
  if (campaignId === null || recipientId === null) {
    await uncountDial(tx, callId);
    await undoConsentUse(tx, callId);
    await sql`
      update calls c set phase = 'queued', consent_id = null, scrub_check = null, person_check = null, gated_at = null,
        check_at = ${args.retryAt}, line_held = false, caller_id = null,
        -- Its caller id may be gone by its next gate, which then uses the number of the agent.
        from_phone = case when caller_id is null then from_phone
          else (select a.config #>> '{telephony,from_phone}' from agents a where a.id = c.agent_id) end,
        queue_deadline_at = created_at + ${args.queueTimeoutSeconds} * interval '1 second'
      where id = ${callId}`.execute(tx);
  } else {
    const change = await judgeWithout(tx, { ...args, organizationId, campaignId, recipientId });
    if (change) await deferred(sql`with ${changedRecipients([change])} select 1`, tx);
    if (change?.state === 'withdrawn') {
      await deferred(
        sql`update campaign_recipients set withdrawn_at = coalesce(withdrawn_at, engine_now())
          where organization_id = ${organizationId} and campaign_id = ${campaignId} and id = ${recipientId}`,
        tx,
      );
    }
    await uncountDial(tx, callId);
    await undoConsentUse(tx, callId);
    await sql`
      with gone as (
        delete from calls where id = ${callId}
        returning organization_id, campaign_id, recipient_id as id, grounds_id, person_check),
      undone as (select gone.*, ${args.why}::text as refused, ${now}::timestamptz as refused_at from gone),
      refused as (${refusalsCounted(sql`undone`)})
      select 1`.execute(tx);
    if (change) await writeOutbox(tx, recipientFinished(change), now);
  }
  await freeCallerIds(tx, [callId]);
  const line = { organizationId, campaignId, provider: call.provider, count: 1 };
  const { lineWaiters } = await releaseLines(tx, [line], now);
  return { lineWaiters };
}

/** Locks a recipient and plans it without the call; null if its state has changed. */
async function judgeWithout(
  tx: Tx,
  args: CampaignKey & { recipientId: string; callId: string; gatedAt: Date; retryAt: Date; now: Date },
): Promise<RecipientChange | null> {
  const { organizationId, campaignId, recipientId } = args;
  await deferred(
    sql`select from campaign_recipients
      where organization_id = ${organizationId} and campaign_id = ${campaignId} and id = ${recipientId} for no key update`,
    tx,
  );
  const { rows } = await sql<StoredStepRow>`
    select ${storedStepColumns}
    from campaign_recipients r
    left join calls l on l.recipient_id = r.id and l.attempt = r.attempts - 1
    where r.organization_id = ${organizationId} and r.campaign_id = ${campaignId} and r.id = ${recipientId}
      and r.state = 'dialing' and r.call_id = ${args.callId}`.execute(tx);
  const row = rows[0];
  const rules = row && (await loadCampaignDefinition(tx, campaignId));
  if (!row || !rules) return null;
  // The plan that the gate carried out.
  const planned = {
    ...row,
    attempts: row.attempts - 1,
    round_attempts: row.round_attempts - 1,
    next_attempt_at: args.gatedAt,
  };
  return { organizationId, campaignId, recipientId, ...stepFrom(planned, rules, args) };
}

function stepFrom(
  row: StoredStepRow,
  rules: CampaignDefinition,
  { retryAt, now }: { retryAt: Date; now: Date },
): StoredStep {
  if (row.attempts === 0) {
    const withdrawn = row.withdrawn_at !== null;
    const unused = { attempts: 0, lastOutcome: null, round: 1, roundAttempts: 0 };
    if (!withdrawn && !isFinalCampaignStatus(rules.status)) {
      return { ...unused, state: 'pending', nextAttemptAt: retryAt, finishReason: null };
    }
    const finishReason = withdrawn ? 'withdrawn' : 'campaign_ended';
    return { ...unused, state: 'withdrawn', nextAttemptAt: null, finishReason };
  }
  const step = decideStoredStep(rules, row, now);
  if (step.state !== 'pending') return step;
  return { ...step, nextAttemptAt: retryAt > step.nextAttemptAt ? retryAt : step.nextAttemptAt };
}
