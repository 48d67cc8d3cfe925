import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';
import type { TermsOwner } from './call-gate.ts';
import { judgedCalls, type CallTerms, type JudgedCalls } from './call-row.ts';
import type { GateReason } from './conditions.ts';
import type { GateRow } from './dial-row.ts';

/** For `calls l`: whether its provider has accepted the call and, as far as we know, not dialed it. */
const isQueuedAtProvider = sql`(l.phase = 'placing' and l.accepted_at is not null)`;

/** A call has moved on: its provider dials it, or it was hung up. */
const hasMovedOn: GateReason = 'stale';

/** Whether a call that is queued at its provider has to be withdrawn. */
export const forbids = (refusal: GateReason | null): refusal is GateReason =>
  refusal !== null && refusal !== hasMovedOn;

/**
 * Whether a call that is queued at its provider may still be dialed. It has passed its gate, so it needs no quota and no pace, but the other conditions
 * must still hold. Its receipt names its consent, so another one does not replace that.
 * @param queueTimeoutSeconds how long a direct call may wait at its provider
 */
export function whileQueued(terms: CallTerms, queueTimeoutSeconds: number): Omit<JudgedCalls, 'which'> {
  return {
    terms,
    keepsConsent: true,
    row: {
      is_live: sql`${isQueuedAtProvider} and l.hangup_requested_at is null`,
      // Waiting in a provider's queue counts as waiting for a line.
      queue_deadline_at: sql`case when l.campaign_id is null
        then l.gated_at + ${queueTimeoutSeconds} * interval '1 second' end`,
      pace_left: sql`null::int`,
    },
  };
}

/**
 * The calling hours of a direct call, and the consent that it needs, depend on its number, so a look-up of the single call checks them. A call that relied on
 * a consent still needs that one.
 */
const atAnyHour: Partial<GateRow> = {
  hours_open_at: sql`'-infinity'::timestamptz`,
  hours_close_at: sql`'infinity'::timestamptz`,
  needs_consent: sql`l.consent_id is not null`,
};

/**
 * Takes calls of a campaign, or direct calls of an organization, that are queued at a provider and may no longer be dialed, and postpones their
 * next check, so that other workers skip them. If this worker dies, the sweep of overdue calls checks them. Skips calls that are checked soon anyway.
 */
export async function takeForbiddenForCheck(
  tx: Tx,
  args: {
    owner: TermsOwner;
    judged: Omit<JudgedCalls, 'which'>;
    providers: readonly string[];
    checkAgainMs: number;
    limit: number;
  },
): Promise<string[]> {
  const { owner, judged } = args;
  const isDirect = owner.campaignId === null;
  const ofOwner = isDirect
    ? sql`l.organization_id = ${owner.organizationId} and l.campaign_id is null`
    : sql`l.campaign_id = ${owner.campaignId}`;
  const checkAgainAt = sql`t.now + ${args.checkAgainMs} * interval '1 millisecond'`;
  const which = sql`${ofOwner} and ${isQueuedAtProvider} and l.provider = any(${args.providers}::text[])
    and l.check_at > ${checkAgainAt}`;
  const row = { ...judged.row, ...(isDirect && atAnyHour) };
  const { rows } = await sql<{ id: string }>`
    with ${judgedCalls({ ...judged, row, which })},
    taken as materialized (
      select l.id, ${checkAgainAt} as check_at
      from t cross join judged j join calls l on l.id = j.call_id
      where j.refusal <> ${hasMovedOn} and ${isQueuedAtProvider} and l.check_at > ${checkAgainAt}
      order by l.id limit ${args.limit} for no key update of l skip locked)
    update calls c set check_at = taken.check_at from taken where c.id = taken.id returning c.id`.execute(tx);
  return rows.map((one) => one.id);
}
