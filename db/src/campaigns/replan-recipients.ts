import { decideStoredStep, type CampaignRules, type FinishReason, type StoredStepRow } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { type OutboxEvent, writeOutbox } from '../outbox/write-outbox.ts';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';
import {
  changedRecipients,
  recipientFinished,
  storedStepColumns,
  type RecipientChange,
} from './recipient-change.ts';

/** Bounds the memory for long lists. */
const chunk = 5_000;

/** Recipients that were finished only because of the campaign's end. */
const endedByTheEnd: FinishReason = 'campaign_over';
/** Recipients that were finished by rules. Rules of a campaign that did not run were never in force. */
const endedByTheRules: readonly FinishReason[] = [
  'not_retryable',
  'attempts_used',
  'rounds_used',
  'max_attempts',
];

/** Which recipients to replan. `left`: all that the current rules may affect. `these`: those of the ids that wait or are done. */
export type Replanned = { kind: 'left' } | { kind: 'these'; recipientIds: readonly string[] };

/**
 * Replans recipients by their last call and the current rules: they are done, or due again. Recipients that were finished only because of an
 * earlier end continue. Returns how many changed.
 */
export async function replanRecipients(
  tx: Tx,
  campaign: { organizationId: string; id: string } & CampaignRules,
  which: Replanned,
  now: Date,
): Promise<number> {
  if (which.kind === 'these' && which.recipientIds.length === 0) return 0;
  let changed = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await judgedNext(tx, campaign, which, after);
    const changes = rows.flatMap((row) => changeOf(row, campaign, now));
    await save(tx, changes, now);
    changed += changes.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < chunk) return changed;
    after = last.id;
  }
}

interface JudgedRow extends StoredStepRow {
  id: string;
  state: string;
  finish_reason: FinishReason | null;
}

async function judgedNext(
  tx: Tx,
  campaign: { organizationId: string; id: string } & CampaignRules,
  which: Replanned,
  after: string,
): Promise<JudgedRow[]> {
  const { rows } = await sql<JudgedRow>`
    select r.id, r.state, r.finish_reason, ${storedStepColumns}
    from campaign_recipients r
    left join calls l on l.recipient_id = r.id and l.attempt = r.attempts
    where r.organization_id = ${campaign.organizationId} and r.campaign_id = ${campaign.id} and r.id > ${after}
      and r.withdrawn_at is null and r.attempts > 0 and ${isConcerned(campaign.id, which)}
    order by r.id limit ${chunk} for no key update of r`.execute(tx);
  return rows;
}

function isConcerned(campaignId: string, which: Replanned): RawBuilder<unknown> {
  if (which.kind === 'these') {
    return sql`r.id = any(${which.recipientIds}::uuid[]) and r.state in ('pending', 'done')`;
  }
  // A round that a caller requested is not replanned until it has begun.
  return sql`(r.state = 'pending' and not (r.round_attempts = 0 and r.requested_round is not distinct from r.round) or r.state = 'done' and (
    r.finish_reason = ${endedByTheEnd}
    or r.finish_reason = any(${endedByTheRules}::text[])
       and coalesce(l.corrected_at, l.ended_at) >= (select stopped_at from campaign_runtime where campaign_id = ${campaignId})))`;
}

function changeOf(
  row: JudgedRow,
  campaign: { organizationId: string; id: string } & CampaignRules,
  now: Date,
): RecipientChange[] {
  const step = decideStoredStep(campaign, row, now);
  const isAsPlanned =
    step.state === row.state &&
    step.round === row.round &&
    step.roundAttempts === row.round_attempts &&
    step.finishReason === row.finish_reason &&
    step.nextAttemptAt?.getTime() === row.next_attempt_at?.getTime();
  if (isAsPlanned) return [];
  const { organizationId, id: campaignId } = campaign;
  return [{ organizationId, campaignId, recipientId: row.id, ...step }];
}

async function save(tx: Tx, changes: readonly RecipientChange[], now: Date): Promise<void> {
  if (changes.length === 0) return;
  await deferred(sql`with ${changedRecipients(changes)} select 1`, tx);
  const finished: OutboxEvent[] = changes.flatMap(recipientFinished);
  await writeOutbox(tx, finished, now);
}

/** Records that rules changed while a campaign does not run, so that its recipients are replanned when it starts. */
export async function replanAtStart(tx: Tx, campaignId: string): Promise<void> {
  await tx
    .updateTable('campaign_runtime')
    .set({ replan: true })
    .where('campaign_id', '=', campaignId)
    .execute();
}
