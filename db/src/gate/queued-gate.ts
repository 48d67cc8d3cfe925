import { sql, type RawBuilder } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';
import { gateConditions, refusalOf, type GateReason } from './conditions.ts';
import { gateRow, type GateRow } from './gate-row.ts';
import { callRow, callTables, type CallTerms } from './repeat-gate.ts';

export type QueuedTerms = CallTerms & {
  /** Those of the calls that the limits of the organization do not allow. */
  refusedNumbers: readonly string[];
  /** How long a direct call may wait at its provider. */
  queueTimeoutSeconds: number;
};

/** For `calls l`: whether its provider has accepted the call and, as far as we know, not dialed it. */
const isQueuedAtProvider = sql`(l.phase = 'placing' and l.accepted_at is not null)`;

/**
 * Checks whether a call that is queued at its provider may still be dialed. It has passed its gate, so it needs no quota and no pace, but the
 * other conditions must still hold. Its receipt names its consent, so another one does not replace that. Returns the condition that does not
 * hold, or null.
 */
export async function judgeQueuedCall(
  db: Executor,
  terms: QueuedTerms,
  callId: string,
): Promise<GateReason | null> {
  const { rows } = await sql<{ refusal: GateReason | null }>`
    with ${judged(terms, sql`l.id = ${callId}`)}
    select refusal from judged`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the gate of queued calls returned no row');
  return row.refusal;
}

/** Nothing is known about a call that has moved on, or by terms that have changed. */
const undecided: readonly GateReason[] = ['stale', 'changed'];

export const forbids = (refusal: GateReason): boolean => !undecided.includes(refusal);

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
    organizationId: string;
    /** Null for direct calls. */
    campaign: { id: string } | null;
    terms: QueuedTerms;
    providers: readonly string[];
    checkAgainMs: number;
    limit: number;
  },
): Promise<string[]> {
  const { organizationId, campaign, terms } = args;
  const ofGroup =
    campaign === null
      ? sql`l.organization_id = ${organizationId} and l.campaign_id is null`
      : sql`l.campaign_id = ${campaign.id}`;
  const checkAgainAt = sql`t.now + ${args.checkAgainMs} * interval '1 millisecond'`;
  const which = sql`${ofGroup} and ${isQueuedAtProvider} and l.provider = any(${args.providers}::text[])
    and l.check_at > ${checkAgainAt}`;
  const { rows } = await sql<{ id: string }>`
    with ${judged(terms, which, campaign === null ? atAnyHour : {})},
    taken as materialized (
      select l.id, ${checkAgainAt} as check_at
      from t cross join judged j join calls l on l.id = j.call_id
      where j.refusal <> all(${undecided}::text[]) and ${isQueuedAtProvider} and l.check_at > ${checkAgainAt}
      order by l.id limit ${args.limit} for no key update of l skip locked)
    update calls c set check_at = taken.check_at from taken where c.id = taken.id returning c.id`.execute(tx);
  return rows.map((row) => row.id);
}

/** A list of common table expressions that ends with `judged`, a row for each call `l`. */
function judged(
  terms: QueuedTerms,
  which: RawBuilder<unknown>,
  instead: Partial<GateRow> = {},
): RawBuilder<unknown> {
  const row = gateRow({
    ...callRow(terms),
    is_live: sql`${isQueuedAtProvider} and l.hangup_requested_at is null`,
    is_allowed_destination: sql`l.phone_number <> all(${terms.refusedNumbers}::text[])`,
    // Waiting in a provider's queue counts as waiting for a line.
    queue_deadline_at: sql`case when l.campaign_id is null
      then l.gated_at + ${terms.queueTimeoutSeconds} * interval '1 second' end`,
    pace_left: sql`null::int`,
    ...instead,
  });
  return sql`
    t as materialized (select engine_now() as now),
    g as materialized (select ${row} from ${callTables(terms, { which, consentId: sql`l.consent_id` })}),
    judged as materialized (select g.call_id, ${refusalOf(gateConditions)} as refusal from g)`;
}
