import { sql } from 'kysely';
import type { PersonCheckJson } from '../schema/compliance.ts';
import type { Executor } from '../transaction.ts';
import { checkOfDial, dialRow, dialTables, gateRow, termTables } from './dial-row.ts';
import { noCallerIds } from './caller-ids-of-gate.ts';
import { gateConditions, passes, refusalOf, type GateReason } from './conditions.ts';
import { emptyTerms, type GateDial, type GateTerms, nilUuid, valuesOf } from './gate-terms.ts';

export interface GateVerdict {
  now: Date;
  /** The first condition that does not hold; null if all do. */
  refusal: GateReason | null;
  holds: Record<GateReason, boolean>;
  consent_id: string | null;
  person_free_at: Date | null;
  person_check: PersonCheckJson | null;
  /** When each scrub list that the campaign requires was last scrubbed. */
  scrub_check: Record<string, string | null> | null;
  /** Calls left in the quota of the day; null without one. */
  calls_left: number | null;
}

export type ExplainedTerms = Pick<
  GateTerms,
  'organizationId' | 'campaignId' | 'windows' | 'policy' | 'purpose' | 'consent' | 'scrubLists'
>;

export interface ExplainedDial extends Pick<GateDial, 'recipientId' | 'isAllowedDestination'> {
  /** Whether a caller id fits; null if the organization has none and needs none. */
  hasCallerId: boolean | null;
}

/** Nobody dials a person who is done, whatever the rules would allow now. */
const conditions = gateConditions.map((one) =>
  one.reason === 'not_due' ? { ...one, holds: sql`g.is_left and ${one.holds}` } : one,
);

/**
 * Checks every condition of the gate for a recipient as if it were due now, and had room in the calls per second. Read-only
 * without locks. Null if the recipient does not exist.
 */
export async function explainGate(
  db: Executor,
  terms: ExplainedTerms,
  { recipientId, isAllowedDestination, hasCallerId }: ExplainedDial,
): Promise<GateVerdict | null> {
  const values = valuesOf([
    {
      terms: { ...emptyTerms, ...terms },
      dials: [{ recipientId, callId: nilUuid, isAllowedDestination }],
    },
  ]);
  const callerIds = {
    ...noCallerIds,
    areNeeded: sql`${hasCallerId !== null}::boolean`,
    isThere: sql`${hasCallerId}::boolean`,
  };
  const asDue = dialRow(callerIds);
  const row = gateRow({
    ...asDue,
    is_live: sql`r.state <> 'dialing'`,
    // The gate would create the person's row in the ledger.
    person_free_at: sql`case when person.dialed_at is not null then ${asDue.person_free_at} end`,
  });
  const verdicts = conditions.map(
    (condition) => sql`${sql.lit(condition.reason)}, coalesce((${passes(condition)}), false)`,
  );
  const { rows } = await sql<GateVerdict>`
    with ${termTables(values)},
    g as materialized (
      select ${checkOfDial} as person_check, k.scrub_versions as scrub_check,
        r.state in ('pending', 'dialing') as is_left, ${row}
      from ${dialTables(values)} where r.id is not null)
    select g.now, ${refusalOf(conditions)} as refusal, jsonb_build_object(${sql.join(verdicts)}) as holds,
      g.consent_id, g.person_free_at, g.person_check, g.scrub_check, g.calls_left
    from g`.execute(db);
  return rows[0] ?? null;
}
