import { sql } from 'kysely';
import type { Attack } from '../attack.ts';
import { idOf, someNumber } from '../tenant.ts';

const people = 1_500;

export const silentExports: Attack = {
  name: 'silent-exports',
  does: 'a viewer takes all people of an organization along, and nobody finds out',
  async begin({ attacker, db }) {
    const numbers = [...new Set(Array.from({ length: people }, someNumber))];
    const json = { name: 'All', agent_id: attacker.agentId, phone_numbers: numbers };
    const campaignId = idOf(await attacker.send('POST /api/v1/campaigns', { role: 'manager', json }));
    let exported = 0;
    let read = 0;
    return {
      async send() {
        const path = `/api/v1/campaigns/${campaignId}`;
        const file = await attacker.send(`GET ${path}/export`, { role: 'viewer' });
        if (file.status === 200) exported += 1;
        const whole = await attacker.send(`GET ${path}`, { role: 'viewer' });
        if (whole.status === 200) read += 1;
      },
      async figures() {
        const { rows } = await sql<{ noted: number }>`
          select count(*)::int as noted from audit_log
          where organization_id = ${attacker.organizationId} and action = 'readCampaign'`.execute(db);
        return [
          { what: 'exports of a viewer', measured: exported, unit: '' as const, atMost: 0 },
          { what: 'reads of a whole list', measured: read, unit: '' as const, atLeast: 1 },
          {
            what: 'reads without an entry',
            measured: read - (rows[0]?.noted ?? 0),
            unit: '' as const,
            atMost: 0,
          },
        ];
      },
    };
  },
  isLight: true,
  perSecond: 2,
  withoutProtection: [
    {
      file: 'api/src/routes/campaigns/export.ts',
      find: "roles: rolesFrom('member'),",
      replace: "roles: rolesFrom('viewer'),",
    },
    {
      file: 'api/src/routes/campaigns/answer-campaign.ts',
      find: 'if (numbers.count > peopleOfPage) await note?.(numbers.count);',
      replace: 'void [note, peopleOfPage];',
    },
  ],
};
