import { sql, type RawBuilder } from 'kysely';
import { anyLength } from '../../postgres/any-length.ts';

/** One zone's open window, as of the revision that the gate names. */
export interface OpenWindow {
  zone: string;
  opensAt: Date;
  closesAt: Date;
}

/** The windows as rows of (zone, opens_at, closes_at); give them an alias. */
export function windowsTable(windows: readonly OpenWindow[]): RawBuilder<unknown> {
  const zones = windows.map((window) => window.zone);
  const opensAts = windows.map((window) => window.opensAt);
  const closesAts = windows.map((window) => window.closesAt);
  return sql`(
    select * from unnest(${anyLength(zones, 'text')}, ${anyLength(opensAts, 'timestamptz')},
                         ${anyLength(closesAts, 'timestamptz')}) as one(zone, opens_at, closes_at))`;
}
