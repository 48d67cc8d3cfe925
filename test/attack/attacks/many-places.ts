import { sql } from 'kysely';
import type { Attack } from '../attack.ts';
import { peopleOfPlaces } from '../../support/people-of-places.ts';
import { idOf, openTenant, type Tenant } from '../tenant.ts';

const people = 6_000;
const placesAtMost = 3_000;

export const manyPlaces: Attack = {
  name: 'many-places',
  does: 'a tenant runs campaigns of thousands of people who are each in a place of their own',
  perSecond: 1,
  seconds: 6,
  async begin({ api, db }) {
    const tenant = await openTenant(db, api.url);
    await tenant.send('PUT /api/v1/organization', { json: { calling_policy: 'strict' } });
    const campaigns: string[] = [];
    for (const [count, from] of [
      [people, 0],
      [placesAtMost, 0],
      [placesAtMost, people / 2],
    ] as const) {
      const made = await createCampaign(tenant, peopleOfPlaces(count, from));
      if (made.status === 200) campaigns.push(`/api/v1/campaigns/${idOf(made)}`);
    }
    for (const campaign of campaigns) {
      await tenant.send(`PUT ${campaign}/config`, {
        json: { call_on_weekend: true, max_concurrent_calls: 100 },
      });
      await tenant.send(`PUT ${campaign}/status`, { json: { status: 'running' } });
    }
    return {
      async send() {
        // No forecasts: they share a limit with long lists, and other tenants of these attacks use it up.
        await Promise.all(campaigns.map((campaign) => tenant.send(`GET ${campaign}/progress`)));
      },
      async figures() {
        const { rows } = await sql<{ places: number }>`
          select max(cardinality(calling_keys)) as places from campaigns where organization_id = ${tenant.organizationId}`.execute(
          db,
        );
        return [
          {
            what: 'places in one campaign, all of which each dial looks at',
            measured: rows[0]?.places ?? Number.NaN,
            unit: '',
            atMost: placesAtMost,
          },
        ];
      },
    };
  },
  withoutProtection: [
    {
      file: 'db/src/campaigns/recipient-list.ts',
      find: 'const callingKeysAtMost = 3_000;',
      replace: 'const callingKeysAtMost = 3_000_000;',
    },
  ],
};

function createCampaign(tenant: Tenant, list: ReturnType<typeof peopleOfPlaces>) {
  const recipients = Object.fromEntries(list.map(({ phone_number: number, ...place }) => [number, place]));
  return tenant.send('POST /api/v1/campaigns', {
    json: {
      name: 'Everywhere',
      agent_id: tenant.agentId,
      phone_numbers: Object.keys(recipients),
      additional_params: { recipients },
      status: 'paused',
    },
  });
}
