import type { CallingKey, GateWindow } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';

/** The open window of one calling key. */
export interface OpenWindow extends GateWindow {
  zone: CallingKey;
  /** The row of `gate_grounds`, for the receipts of calls in this window. */
  groundsId: string | null;
}

/** Windows as rows of (campaign_id, zone, opens_at, closes_at, hours_open_at, hours_close_at, caps, consent_bases, grounds_id), without an alias. */
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
    grounds_id: window.groundsId,
  }));
  return sql`(
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as one(campaign_id uuid, zone text, opens_at timestamptz, closes_at timestamptz, hours_open_at timestamptz, hours_close_at timestamptz,
             caps jsonb, consent_bases jsonb, grounds_id uuid))`;
}
