import {
  personFreeAt,
  withCapsOfRules,
  type CallCap,
  type PersonCaps,
  type PersonHistory,
} from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Executor, Tx } from '../transaction.ts';
import { isNumberChecked } from './is-number-checked.ts';
import { isSuppressed } from './is-suppressed.ts';
import { effectivePersonCaps, ledgerOfPerson } from './person-free-at.ts';
import type { PersonKey } from '../keys.ts';

export async function isNumberSuppressed(db: Executor, person: PersonKey): Promise<boolean> {
  const { rows } = await sql<{ is_suppressed: boolean }>`
    select ${suppressed(person)} as is_suppressed`.execute(prepared(db));
  return rows[0]?.is_suppressed === true;
}

/** Known obstacles to a direct call. The gate decides. */
export interface PersonRestrictions {
  isSuppressed: boolean;
  /** The organization needs a query of reassigned numbers that is at most so many days old, and has none that says `no`. */
  uncheckedWithinDays: number | null;
  caps: PersonCaps | null;
  /** Null for a person who was never called. */
  history: PersonHistory | null;
  now: Date;
}

/** When the caps per person of the organization and of the rules of the number allow a direct call; null for now. */
export function cappedUntil(
  { caps, history, now }: PersonRestrictions,
  { ofRules, isDebtCollection }: { ofRules: readonly CallCap[] | null; isDebtCollection: boolean },
): Date | null {
  if (caps === null || history === null) return null;
  const freeAt = personFreeAt(withCapsOfRules(caps, ofRules), history, {
    campaignId: null,
    isDebtCollection,
  });
  return freeAt !== null && freeAt > now ? freeAt : null;
}

/** Sent to Postgres with the next statement, after which `restrictions` resolves. */
export async function readPersonRestrictions(
  tx: Tx,
  person: PersonKey,
): Promise<{ restrictions: Promise<PersonRestrictions> }> {
  const { organizationId, phoneNumber } = person;
  const checked = isNumberChecked({
    organization_id: sql`o.id`,
    phone_number: sql`${phoneNumber}`,
    now: sql`engine_now()`,
    days: sql`o.reassigned_query_days`,
  });
  const { rows } = await deferred(
    sql<RestrictionsRow>`
      select ${suppressed(person)} as is_suppressed, engine_now() as now,
        ${effectivePersonCaps(sql`${organizationId}::uuid`)} as caps, p.dialed_at, p.campaign_ids, p.conversation_at,
        case when ${checked} is not true then o.reassigned_query_days end as unchecked_within_days
      from organizations o
      left join lateral ${ledgerOfPerson({
        organization_id: sql`o.id`,
        phone_number: sql`${phoneNumber}`,
        is_asked: sql`true`,
      })} p on true
      where o.id = ${organizationId}`,
    tx,
  );
  const restrictions = rows.then(([row]) => toRestrictions(row));
  // The statement that this one was sent with reports a failure.
  restrictions.catch(() => undefined);
  return { restrictions };
}

function suppressed({ organizationId, phoneNumber }: PersonKey): RawBuilder<boolean> {
  return isSuppressed({
    organization_id: sql`${organizationId}`,
    phone_number: sql`${phoneNumber}`,
    now: sql`(select engine_now())`,
  });
}

interface RestrictionsRow {
  is_suppressed: boolean;
  unchecked_within_days: number | null;
  now: Date;
  caps: PersonCaps | null;
  /** Null for a person who was never called, and so are the other two. */
  dialed_at: Date[] | null;
  campaign_ids: Array<string | null>;
  conversation_at: Date | null;
}

function toRestrictions(row: RestrictionsRow | undefined): PersonRestrictions {
  if (row === undefined) throw new Error('readPersonRestrictions returned no row');
  const { is_suppressed: isSuppressed, unchecked_within_days: uncheckedWithinDays, now, caps } = row;
  const known = { isSuppressed, uncheckedWithinDays, caps, now };
  const { dialed_at: dialedAt } = row;
  if (dialedAt === null) return { ...known, history: null };
  const dials = dialedAt.map((at, n) => ({ at, campaignId: row.campaign_ids[n] ?? null }));
  return { ...known, history: { dials, conversationAt: row.conversation_at } };
}
