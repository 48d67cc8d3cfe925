import type { CallingKey, GateWindow } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { rulesInForce } from '../compliance/rule-versions.ts';

/** The open window of one calling key, as of the gate's revision. */
export interface OpenWindow extends GateWindow {
  zone: CallingKey;
  /** The row of `gate_grounds`, for the receipts of calls in this window. */
  groundsId: string | null;
}

/** Windows as rows of (campaign_id, zone, opens_at, closes_at, hours_open_at, hours_close_at, caps, consent_bases, rules_version, grounds_id), without an alias. */
export function windowsTable(
  windows: ReadonlyArray<OpenWindow & { campaignId?: string }>,
): RawBuilder<unknown> {
  const rows = windows.map(({ campaignId, hours, caps, consent, ...window }) => ({
    campaign_id: campaignId,
    zone: window.zone,
    opens_at: window.opensAt,
    closes_at: window.closesAt,
    hours_open_at: hours?.openAt,
    hours_close_at: hours?.closeAt,
    caps,
    consent_bases: consent?.bases,
    rules_version: window.rulesVersion,
    grounds_id: window.groundsId,
  }));
  return sql`(
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as one(campaign_id uuid, zone text, opens_at timestamptz, closes_at timestamptz, hours_open_at timestamptz, hours_close_at timestamptz,
             caps jsonb, consent_bases jsonb, rules_version int, grounds_id uuid))`;
}

/** Whether the window `w` of a call follows from the rules in force. Without a window, the gate refuses because it is closed. */
export const followsRules: RawBuilder<unknown> = sql`coalesce(w.rules_version = ${rulesInForce}, true)`;
