import type { CallingKey, GateWindow } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { rulesInForce } from '../compliance/rule-versions.ts';
import { anyLength } from '../postgres/any-length.ts';

/** The open window of one calling key, as of the gate's revision. */
export interface OpenWindow extends GateWindow {
  zone: CallingKey;
  /** The row of `gate_grounds`, for the receipts of calls in this window. */
  groundsId: string | null;
}

/** Windows as columns, for a statement that takes arrays. */
export function windowColumns(windows: readonly OpenWindow[]) {
  return {
    zones: windows.map((window) => window.zone),
    opensAts: windows.map((window) => window.opensAt),
    closesAts: windows.map((window) => window.closesAt),
    hoursOpenAts: windows.map(({ hours }) => hours?.openAt ?? null),
    hoursCloseAts: windows.map(({ hours }) => hours?.closeAt ?? null),
    capsOfRules: windows.map(({ caps }) => caps && JSON.stringify(caps)),
    basesOfRules: windows.map(({ consent }) => consent && JSON.stringify(consent.bases)),
    rulesVersions: windows.map(({ rulesVersion }) => rulesVersion),
    groundsIds: windows.map((window) => window.groundsId),
  };
}

/** Windows as rows of (zone, opens_at, closes_at, hours_open_at, hours_close_at, caps, consent_bases, rules_version, grounds_id), without an alias. */
export function windowsTable(of: ReturnType<typeof windowColumns>): RawBuilder<unknown> {
  return sql`(
    select * from unnest(${anyLength(of.zones, 'text')}, ${anyLength(of.opensAts, 'timestamptz')},
                         ${anyLength(of.closesAts, 'timestamptz')}, ${anyLength(of.hoursOpenAts, 'timestamptz')},
                         ${anyLength(of.hoursCloseAts, 'timestamptz')},
                         ${anyLength(of.capsOfRules, 'jsonb')}, ${anyLength(of.basesOfRules, 'jsonb')},
                         ${anyLength(of.rulesVersions, 'int')}, ${anyLength(of.groundsIds, 'uuid')})
      as one(zone, opens_at, closes_at, hours_open_at, hours_close_at, caps, consent_bases, rules_version, grounds_id))`;
}

/** Whether the window `w` of a call follows from the rules in force. Without a window, the gate refuses because it is closed. */
export const followsRules: RawBuilder<unknown> = sql`coalesce(w.rules_version = ${rulesInForce}, true)`;
