import type { Attack } from '../attack.ts';
import { idOf, someNumber, type Tenant } from '../tenant.ts';

export const manyCampaigns: Attack = {
  name: 'many-campaigns',
  does: 'a tenant starts campaigns of one person each, without end',
  isLight: true,
  perSecond: 60,
  async begin({ attacker }) {
    return {
      async send() {
        const campaign = await oneOfOnePerson(attacker);
        await attacker.send(`PUT ${campaign}/status`, { json: { status: 'running' } });
      },
    };
  },
  // The bound is the first dial of the neighbour's campaigns. A fast machine keeps it without turns too, since all campaigns of a tenant that wait are one
  // transaction; `heldOrganizationDelaysNobody` (test/chaos) shows the turns.
  withoutProtection: [
    {
      file: 'packages/contracts/src/jobs/advance-campaign.ts',
      find: '  turnOf: (payload) => payload.organization_id,\n',
      replace: '',
    },
  ],
};

async function oneOfOnePerson(tenant: Tenant): Promise<string> {
  const made = await tenant.send('POST /api/v1/campaigns', {
    json: { name: 'One', agent_id: tenant.agentId, phone_numbers: [someNumber()], status: 'paused' },
  });
  const campaign = `/api/v1/campaigns/${idOf(made)}`;
  await tenant.send(`PUT ${campaign}/config`, { json: { call_on_weekend: true } });
  return campaign;
}
