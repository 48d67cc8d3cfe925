import type { Attack } from '../attack.ts';
import { idOf, someNumber } from '../tenant.ts';

/** Withdrawing them takes longer than the attack. */
const people = 150_000;
const campaigns = 2;

export const hugeCancel: Attack = {
  name: 'huge-cancel',
  does: 'a tenant cancels campaigns of 300,000 people',
  perSecond: 5,
  seconds: 8,
  async begin({ attacker }) {
    const waiting: string[] = [];
    for (let n = 0; n < campaigns; n++) {
      const made = await attacker.send('POST /api/v1/campaigns', {
        json: {
          name: 'Huge',
          agent_id: attacker.agentId,
          phone_numbers: Array.from({ length: people }, someNumber),
          status: 'paused',
        },
      });
      waiting.push(`/api/v1/campaigns/${idOf(made)}`);
    }
    return {
      async send() {
        const campaign = waiting.pop();
        if (campaign === undefined) return;
        await attacker.send(`PUT ${campaign}/status`, { json: { status: 'canceled' } });
      },
    };
  },
  // The bound is the cancels of the neighbour.
  withoutProtection: [
    {
      file: 'worker/src/jobs/withdraw-recipients.ts',
      find: 'const chunksAtOnce = { atOnce: 3, perOrganization: 1 };',
      replace: 'const chunksAtOnce = { atOnce: 1 };',
    },
    {
      file: 'worker/src/jobs/withdraw-recipients.ts',
      find: 'const concurrency = 200;',
      replace: 'const concurrency = 1;',
    },
    {
      file: 'worker/src/jobs/withdraw-recipients.ts',
      find: 'signal: AbortSignal.any([signal, AbortSignal.timeout(longestRunMs)]),',
      replace: 'signal: longestRunMs > 0 ? signal : signal,',
    },
  ],
};
