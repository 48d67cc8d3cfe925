import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { Attack } from '../attack.ts';

export const othersCallerIds: Attack = {
  name: 'others-caller-ids',
  does: 'a tenant adds the number of its neighbour as its own caller id, so that people who call back reach the attacker',
  async begin({ attacker, neighbour, db }) {
    const phone_number = `+1212${randomInt(2_000_000, 9_999_999)}`;
    const json = { phone_number, attestation: 'A', calls_per_day: 100 };
    // Unconfirmed, so that the neighbour's own calls do not depend on it.
    await neighbour.send('POST /api/v1/caller-ids', { json });
    let taken = 0;
    return {
      async send() {
        const theirs = await attacker.send('POST /api/v1/caller-ids', { json });
        // A number that nobody of this installation has, and that is not the attacker's either.
        const strangers = { ...json, phone_number: `+1212${randomInt(2_000_000, 9_999_999)}` };
        await attacker.send('POST /api/v1/caller-ids', { json: strangers });
        if (theirs.status < 300) taken += 1;
      },
      async figures() {
        const { rows } = await sql<{ usable: number; kept: number }>`
          select count(*) filter (where organization_id = ${attacker.organizationId} and state <> 'pending')::int as usable,
            count(*) filter (where organization_id = ${neighbour.organizationId})::int as kept
          from caller_ids`.execute(db);
        const { usable = 0, kept = 0 } = rows[0] ?? {};
        return [
          { what: 'numbers of the neighbour that were taken', measured: taken, unit: '' as const, atMost: 0 },
          { what: 'numbers in use that nobody confirmed', measured: usable, unit: '' as const, atMost: 0 },
          { what: 'numbers that the neighbour has', measured: kept, unit: '' as const, atLeast: 1 },
        ];
      },
    };
  },
  isLight: true,
  perSecond: 5,
  withoutProtection: [
    {
      file: 'db/src/caller-ids/caller-ids.ts',
      find: "${made.warm_up_days}, t.now, 'pending', t.now, t.now",
      replace: "${made.warm_up_days}, t.now, 'active', t.now, t.now",
    },
  ],
};
