import type { CallCap, CampaignPurpose, GateWindow } from '@outdial/core';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { applyRules, rulesInForce } from '../compliance/rule-versions.ts';
import { consentOfDial } from '../compliance/consent-of-dial.ts';
import type { OrganizationTable } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

/** The settings of an organization that decide about a direct call. */
export type DirectSettings = Pick<
  Selectable<OrganizationTable>,
  'calling_policy' | 'allowed_countries' | 'allowed_special_numbers'
>;

/** What a direct call brings to its gate. */
export interface DirectTerms {
  /** The settings from which the other fields follow. The gate refuses outdated ones. */
  settings: DirectSettings;
  hours: GateWindow['hours'];
  /** The caps per person of the rules of the number; null for none. */
  caps: readonly CallCap[] | null;
  /** The consent that the rules of the number ask for; null for none. */
  consent: GateWindow['consent'];
  rulesVersion: number;
  /** The countries and regions of the number, whose scrub lists count; null without a policy. */
  places: readonly string[] | null;
  /** The row of `gate_grounds`, for the receipt. */
  groundsId: string | null;
  isAllowedDestination: boolean;
}

/** What decides about a direct call. While the call waits, only the settings can change. */
export interface DirectCallee {
  organizationId: string;
  phoneNumber: string;
  purpose: CampaignPurpose | null;
  settings: DirectSettings;
  now: Date;
}

export async function findDirectCallee(db: Executor, callId: string): Promise<DirectCallee | null> {
  const { rows } = await sql<
    DirectSettings & {
      organization_id: string;
      phone_number: string;
      purpose: CampaignPurpose | null;
      rules_version: number;
      now: Date;
    }
  >`
    select c.organization_id, c.phone_number, c.purpose, o.calling_policy, o.allowed_countries, o.allowed_special_numbers,
      engine_now() as now, ${rulesInForce} as rules_version
    from calls c join organizations o on o.id = c.organization_id where c.id = ${callId}`.execute(db);
  const [row] = rows;
  if (!row) return null;
  await applyRules(db, row.rules_version);
  const { organization_id: organizationId, phone_number: phoneNumber, purpose, now } = row;
  return { organizationId, phoneNumber, purpose, settings: row, now };
}

export function capsColumn(caps: readonly CallCap[] | null): RawBuilder<unknown> {
  return sql`${caps && JSON.stringify(caps)}::jsonb`;
}

/** The consent of a direct call `l` that its rules ask for, as a derived table of (id). */
export function consentOfDirect({ consent }: Pick<DirectTerms, 'consent'>): RawBuilder<unknown> {
  return consentOfDial({
    organization_id: sql`l.organization_id`,
    phone_number: sql`l.phone_number`,
    now: sql`t.now`,
    is_required: sql`${consent !== null}::boolean`,
    bases: sql`null::text[]`,
    bases_of_rules: sql`${consent && JSON.stringify(consent.bases)}::jsonb`,
    purpose: sql`l.purpose`,
  });
}

/** The inputs of the conditions that follow from terms, for a gate's row with `organizations org`. */
export function directTermsOf({
  settings,
  hours,
  rulesVersion,
}: Pick<DirectTerms, 'settings' | 'hours' | 'rulesVersion'>): {
  isCurrent: RawBuilder<unknown>;
  hoursOpenAt: RawBuilder<unknown>;
  hoursCloseAt: RawBuilder<unknown>;
} {
  return {
    isCurrent: sql`(org.calling_policy = ${settings.calling_policy}
      and org.allowed_countries is not distinct from ${settings.allowed_countries}::text[]
      and org.allowed_special_numbers = ${settings.allowed_special_numbers}::text[]
      and ${rulesInForce} = ${rulesVersion}::int)`,
    hoursOpenAt: sql`${hours?.openAt ?? null}::timestamptz`,
    hoursCloseAt: sql`${hours?.closeAt ?? null}::timestamptz`,
  };
}
