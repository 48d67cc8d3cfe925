import { sql, type RawBuilder } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';
import { hasChangedSince } from './number-changes.ts';

export interface AskedConsent {
  organization_id: RawBuilder<unknown>;
  phone_number: RawBuilder<unknown>;
  now: RawBuilder<unknown>;
  /** Whether the campaign calls only people who have agreed to it. */
  is_required: RawBuilder<unknown>;
  /** The bases that will do; null for any. */
  bases: RawBuilder<unknown>;
  /** The campaign's purpose; a consent with a scope covers the purposes that it names. */
  purpose: RawBuilder<unknown>;
}

/** Whether a consent `c` that was given is neither expired nor revoked, and its number is still the person's. */
const isInForce = (now: RawBuilder<unknown>) => sql`(
  (c.expires_at is null or c.expires_at > ${now})
  and not exists (
    select from consent_revocations v where v.organization_id = c.organization_id and v.consent_id = c.id)
  and not ${hasChangedSince})`;

/**
 * Whether the consent that a call `q` relied on is over, and its campaign still requires one. Another consent may cover the person: then the gate
 * finds it for the next call.
 */
export const hasLostConsent = (now: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  q.consent_id is not null
  and exists (
    select from campaign_configs f
    where f.organization_id = q.organization_id and f.campaign_id = q.campaign_id and f.require_consent)
  and not exists (
    select from consents c where c.organization_id = q.organization_id and c.id = q.consent_id and ${isInForce(now)}))`;

/** The consent that a dial relies on, the newest that is in force, as a derived table of (id) with one row or none. Nothing is read if none is required. */
export function consentOfDial(of: AskedConsent): RawBuilder<unknown> {
  return sql`(
    select c.id from consents c
    where ${of.is_required} and c.organization_id = ${of.organization_id} and c.phone_number = ${of.phone_number}
      and c.given_at <= ${of.now} and ${isInForce(of.now)}
      and (${of.bases} is null or c.basis = any(${of.bases}))
      and (c.scope is null or ${of.purpose} = any(c.scope))
    order by c.given_at desc, c.id desc limit 1)`;
}

/**
 * Notes that consents were used. A common table expression, after the rows of calls.
 * @param uses rows of (consent_id, at)
 */
export function usedConsents(uses: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into consent_uses as u (consent_id, first_used_at, last_used_at, uses)
    select one.consent_id, one.at, one.at, 1 from ${uses} one order by one.consent_id
    on conflict (consent_id) do update set last_used_at = excluded.last_used_at, uses = u.uses + 1`;
}

/**
 * Takes back the use that the gate of a call noted, when its attempt is undone. The row of the call is locked. The instant of the last use stays: it only
 * makes the consent stay longer.
 */
export async function unuseConsent(tx: Tx, callId: string): Promise<void> {
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
