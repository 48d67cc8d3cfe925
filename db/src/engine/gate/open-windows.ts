import { sql, type RawBuilder } from 'kysely';
import { anyLength } from '../../postgres/any-length.ts';

/** One zone's open window, as of the revision that the gate names. */
export interface OpenWindow {
  zone: string;
  opensAt: Date;
  closesAt: Date;
}

/** Windows as rows of (zone, opens_at, closes_at); give them an alias. */
export function windowsTable(of: {
  zones: readonly string[];
  opensAts: readonly Date[];
  closesAts: readonly Date[];
}): RawBuilder<unknown> {
  return sql`(
    select * from unnest(${anyLength(of.zones, 'text')}, ${anyLength(of.opensAts, 'timestamptz')},
                         ${anyLength(of.closesAts, 'timestamptz')}) as one(zone, opens_at, closes_at))`;
}
