import type { CampaignPurpose, ConsentBasis } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';
import { hasChangedSince } from './number-changes.ts';
import type { PersonKey } from '../keys.ts';

export interface AskedConsent {
  organization_id: RawBuilder<unknown>;
  phone_number: RawBuilder<unknown>;
  now: RawBuilder<unknown>;
  /** Whether the campaign or a rule requires consent. */
  is_required: RawBuilder<unknown>;
  /** The accepted bases; null for any. */
  bases: RawBuilder<unknown>;
  /** The bases that the rules of the place accept, as JSON; null for any. */
  bases_of_rules: RawBuilder<unknown>;
  /** The purpose of the call, or null, which counts as marketing; a consent with a scope covers the purposes that it names. */
  purpose: RawBuilder<unknown>;
  /** The only consent that counts; any by default. */
  id?: RawBuilder<unknown>;
}

/** Whether a consent `c` has not expired, is not revoked, and its number has not changed. */
const isInForce = (now: RawBuilder<unknown>) => sql`(
  (c.expires_at is null or c.expires_at > ${now})
  and not exists (
    select from consent_revocations v where v.organization_id = c.organization_id and v.consent_id = c.id)
  and not ${hasChangedSince})`;

/** The newest valid consent as a derived table of (id). Reads nothing if no consent is required. */
export function consentOfDial(of: AskedConsent): RawBuilder<unknown> {
  return sql`(
    select c.id from consents c
    where ${of.is_required} and c.organization_id = ${of.organization_id} and c.phone_number = ${of.phone_number}
      and c.given_at <= ${of.now} and ${isInForce(of.now)}
      and (${of.bases} is null or c.basis = any(${of.bases}))
      and (${of.bases_of_rules} is null or jsonb_exists(${of.bases_of_rules}, c.basis))
      and (c.scope is null or coalesce(${of.purpose}, 'marketing') = any(c.scope))${
        of.id
          ? sql`
      and c.id = ${of.id}`
          : sql``
      }
    order by c.given_at desc, c.id desc limit 1)`;
}

/** Whether a consent is in force that covers a purpose and has one of these bases. */
export async function hasConsent(
  tx: Tx,
  of: PersonKey & { purpose: CampaignPurpose; bases: readonly ConsentBasis[] },
): Promise<boolean> {
  const found = consentOfDial({
    organization_id: sql`${of.organizationId}::uuid`,
    phone_number: sql`${of.phoneNumber}::text`,
    now: sql`(select engine_now())`,
    is_required: sql`true`,
    bases: sql`${of.bases}::text[]`,
    bases_of_rules: sql`null::jsonb`,
    purpose: sql`${of.purpose}::text`,
  });
  const { rows } = await sql<{ found: boolean }>`select exists ${found} as found`.execute(tx);
  return rows[0]?.found === true;
}

/**
 * Records the use of consents. A common table expression, after the rows of calls.
 * @param uses rows of (consent_id, at)
 */
export function usedConsents(uses: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into consent_uses as u (consent_id, first_used_at, last_used_at, uses)
    select one.consent_id, one.at, one.at, 1 from ${uses} one order by one.consent_id
    on conflict (consent_id) do update set last_used_at = excluded.last_used_at, uses = u.uses + 1`;
}

/**
 * Removes the use by a call whose attempt is undone and whose row is locked. Does not restore the instant of the last use; the consent is only kept
 * longer.
 */
export async function undoConsentUse(tx: Tx, callId: string): Promise<void> {
  await deferred(
    sql`
    update consent_uses u set uses = u.uses - 1 from calls c where c.id = ${callId} and u.consent_id = c.consent_id`,
    tx,
  );
  await deferred(
    sql`
    delete from consent_uses u using calls c where c.id = ${callId} and u.consent_id = c.consent_id and u.uses = 0`,
    tx,
  );
}
