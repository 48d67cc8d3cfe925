import type { Attack } from '../attack.ts';
import { idOf, someNumber, type Tenant } from '../tenant.ts';

const campaigns = 300;
const preparedAtOnce = 8;

export const manyCampaigns: Attack = {
  name: 'many-campaigns',
  does: 'a tenant starts 300 campaigns of one person each',
  perSecond: 60,
  seconds: 8,
  async begin({ attacker }) {
    const ready: string[] = [];
    await Promise.all(
      Array.from({ length: preparedAtOnce }, async () => {
        for (let n = 0; n < campaigns / preparedAtOnce; n++) ready.push(await oneOfOnePerson(attacker));
      }),
    );
    return {
      async send() {
        const campaign = ready.pop();
        if (campaign === undefined) return;
        await attacker.send(`PUT ${campaign}/status`, { json: { status: 'running' } });
      },
    };
  },
  // The bound is the first dial of the neighbour's campaigns.
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
