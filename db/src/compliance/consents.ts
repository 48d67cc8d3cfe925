import { type CampaignPurpose, type ConsentBasis, keepConsentsYears } from '@outdial/core';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { RevocationTable } from '../schema/compliance.ts';
import type { Db, Executor, Tx } from '../transaction.ts';
import type { PersonKey } from '../keys.ts';

export interface ConsentRow {
  id: string;
  phone_number: string;
  basis: ConsentBasis;
  /** Null covers every purpose. */
  scope: CampaignPurpose[] | null;
  text_shown: string | null;
  source: string;
  evidence_hash: string | null;
  given_at: Date;
  expires_at: Date | null;
  created_at: Date;
  revoked_at: Date | null;
  revocation_reason: string | null;
  /** When the number was first ported or reassigned after the consent. */
  number_changed_at: Date | null;
  last_used_at: Date | null;
  uses: number;
  row_instant: string;
}

export type NewConsent = Pick<
  ConsentRow,
  'phone_number' | 'basis' | 'scope' | 'text_shown' | 'source' | 'evidence_hash' | 'given_at' | 'expires_at'
>;

/** Returns the ids in the order of the list. */
export async function addConsents(
  tx: Executor,
  args: { organizationId: string; createdBy: string | null; consents: readonly NewConsent[] },
): Promise<string[]> {
  const given = args.consents.map((consent, n) => ({ n, ...consent }));
  const { rows } = await sql<{ id: string }>`
    insert into consents (organization_id, phone_number, basis, scope, text_shown, source, evidence_hash, given_at, expires_at,
      created_by, created_at)
    select ${args.organizationId}, phone_number, basis, scope, text_shown, source, evidence_hash, given_at, expires_at,
      ${args.createdBy}, engine_now()
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as x(
      n int, phone_number text, basis text, scope text[], text_shown text, source text, evidence_hash text,
      given_at timestamptz, expires_at timestamptz)
    order by n returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** When the number of a consent `c` was first ported or reassigned after the consent. */
const numberChangedAt = sql`(select min(n.changed_at) from number_changes n
  where n.organization_id = c.organization_id and n.phone_number = c.phone_number and n.changed_at >= c.given_at)`;

/** Newest first, including revoked and expired ones. */
export async function listConsents(
  db: Executor,
  args: {
    organizationId: string;
    page: NewestFirst;
    phoneNumber?: string | undefined;
    consentId?: string | undefined;
  },
): Promise<ConsentRow[]> {
  const { rows } = await sql<ConsentRow>`
    select c.id, c.phone_number, c.basis, c.scope, c.text_shown, c.source, c.evidence_hash, c.given_at, c.expires_at, c.created_at,
      v.revoked_at, v.reason as revocation_reason, u.last_used_at, coalesce(u.uses, 0) as uses,
      ${numberChangedAt} as number_changed_at,
      ${rowInstant('c.created_at')} as row_instant
    from consents c
    left join consent_revocations v on v.organization_id = c.organization_id and v.consent_id = c.id
    left join consent_uses u on u.consent_id = c.id
    where c.organization_id = ${args.organizationId}
      and (${args.phoneNumber ?? null}::text is null or c.phone_number = ${args.phoneNumber ?? null})
      and (${args.consentId ?? null}::uuid is null or c.id = ${args.consentId ?? null}::uuid)
      ${newestFirst({ at: 'c.created_at', id: 'c.id' }, args.page)}`.execute(db);
  return rows;
}

export async function findConsent(
  db: Executor,
  { organizationId, consentId }: { organizationId: string; consentId: string },
): Promise<ConsentRow | null> {
  const [row] = await listConsents(db, { organizationId, consentId, page: { limit: 1, after: null } });
  return row ?? null;
}

/** Gates wait for the commit; after it, none uses the consent. A repeated revocation has no effect. False if the consent does not exist. */
export async function revokeConsent(
  tx: Tx,
  args: { organizationId: string; consentId: string; reason: string | null; revokedBy: string | null },
): Promise<boolean> {
  const { organizationId, consentId } = args;
  if ((await findConsent(tx, { organizationId, consentId })) === null) return false;
  await sql`
    insert into consent_revocations (organization_id, consent_id, reason, revoked_at, created_by)
    values (${organizationId}, ${consentId}, ${args.reason}, engine_now(), ${args.revokedBy})
    on conflict do nothing`.execute(tx);
  return true;
}

const isKept = sql`
  coalesce((select u.last_used_at from consent_uses u where u.consent_id = c.id), '-infinity')
    > (select engine_now()) - ${keepConsentsYears} * interval '1 year'`;

/** Erases consents of a person that were not used for five years. The law requires the caller to keep the others as proof. */
export async function eraseConsents(
  tx: Tx,
  { organizationId, phoneNumber }: PersonKey,
): Promise<{ erased: number; kept: number }> {
  const erased = await deleteConsents(
    tx,
    sql`c.organization_id = ${organizationId} and c.phone_number = ${phoneNumber} and not (${isKept})`,
  );
  const { rows } = await sql<{ kept: number }>`
    select count(*)::int as kept from consents
    where organization_id = ${organizationId} and phone_number = ${phoneNumber}`.execute(tx);
  return { erased, kept: rows[0]?.kept ?? 0 };
}

/** Deletes consents `c` with their uses, and returns how many. */
async function deleteConsents(db: Executor, which: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with gone as (delete from consents c where ${which} returning id),
    unused as (delete from consent_uses u using gone where u.consent_id = gone.id)
    select count(*)::int as deleted from gone`.execute(db);
  return rows[0]?.deleted ?? 0;
}

/** The proofs of these calls have the consent's hash. */
const isNamedByCall = sql`exists (
  select from calls k where k.organization_id = c.organization_id and k.phone_number = c.phone_number and k.consent_id = c.id)`;

/**
 * Deletes a batch of consents that ended more than five years ago and were not used since, and returns how many. Keeps valid ones, and those of calls that
 * are kept.
 */
export async function deleteOldConsents(db: Db, limit: number): Promise<number> {
  return deleteConsents(
    db,
    sql`c.id = any(array(
      select c.id from consents c
      left join consent_revocations v on v.organization_id = c.organization_id and v.consent_id = c.id
      where least(c.expires_at, v.revoked_at, ${numberChangedAt}) < (select engine_now()) - ${keepConsentsYears} * interval '1 year'
        and c.created_at < (select engine_now()) - ${keepConsentsYears} * interval '1 year' and not (${isKept}) and not ${isNamedByCall}
      limit ${limit}))`,
  );
}

/** A consent with the newest calls that relied on it. */
export interface ConsentProof extends ConsentRow {
  calls: Array<{ call_id: string; campaign_id: string | null; gated_at: Date }>;
}

export interface ProofOfPerson {
  consents: ConsentProof[];
  /** False if some consents or calls are missing. */
  isComplete: boolean;
}

const consentsOfProof = 100;
const callsOfProof = 1_000;

/** The consents of a person, newest first. */
export async function findConsentProof(
  db: Executor,
  { organizationId, phoneNumber }: PersonKey,
): Promise<ProofOfPerson> {
  const page = { limit: consentsOfProof + 1, after: null };
  const consents = await listConsents(db, { organizationId, phoneNumber, page });
  const { rows } = await sql<{
    consent_id: string;
    call_id: string;
    campaign_id: string | null;
    gated_at: Date;
  }>`
    select consent_id, id as call_id, campaign_id, gated_at from calls
    where organization_id = ${organizationId} and phone_number = ${phoneNumber} and consent_id is not null
    order by gated_at desc limit ${callsOfProof + 1}`.execute(db);
  const calls = rows.slice(0, callsOfProof);
  return {
    consents: consents.slice(0, consentsOfProof).map((consent) => ({
      ...consent,
      calls: calls.flatMap(({ consent_id: id, ...call }) => (id === consent.id ? [call] : [])),
    })),
    isComplete: consents.length <= consentsOfProof && rows.length <= callsOfProof,
  };
}

export interface RevocationRow extends Pick<
  Selectable<RevocationTable>,
  'channel' | 'words' | 'received_at' | 'call_id' | 'created_at'
> {
  /** If it revokes one consent only. */
  consent_id: string | null;
}

/** What a person has asked, the newest first: no more calls, or that a consent ends. */
export async function listRevocations(
  db: Executor,
  args: { organizationId: string; phoneNumber: string; limit: number },
): Promise<RevocationRow[]> {
  const { organizationId, phoneNumber } = args;
  const { rows } = await sql<RevocationRow>`
    select channel, words, received_at, call_id, null::uuid as consent_id, created_at from revocations
    where organization_id = ${organizationId} and phone_number = ${phoneNumber}
    union all
    select 'consent', v.reason, v.revoked_at, null, v.consent_id, v.revoked_at
    from consents c join consent_revocations v on v.organization_id = c.organization_id and v.consent_id = c.id
    where c.organization_id = ${organizationId} and c.phone_number = ${phoneNumber}
    order by received_at desc, created_at desc limit ${args.limit}`.execute(db);
  return rows;
}

export async function eraseRevocations(tx: Tx, { organizationId, phoneNumber }: PersonKey): Promise<void> {
  await sql`
    delete from revocations where organization_id = ${organizationId} and phone_number = ${phoneNumber}`.execute(
    tx,
  );
}
