import type { Attack } from '../attack.ts';
import { idOf, openTenant, someNumber } from '../tenant.ts';

const people = 100_000;

export const largeExports: Attack = {
  name: 'large-exports',
  does: 'a viewer exports 100,000 people again and again, four times at once',
  perSecond: 10,
  seconds: 8,
  async begin({ api, db }) {
    const tenant = await openTenant(db, api.url);
    const made = await tenant.send('POST /api/v1/campaigns', {
      json: {
        name: 'Large',
        agent_id: tenant.agentId,
        phone_numbers: Array.from({ length: people }, someNumber),
        status: 'paused',
      },
    });
    const path = `/api/v1/campaigns/${idOf(made)}/export`;
    return {
      // The fifth is refused.
      async send() {
        const answer = await fetch(`${api.url}${path}`, {
          headers: { 'X-API-Key': tenant.keys.viewer },
          signal: AbortSignal.timeout(120_000),
        });
        await answer.body?.pipeTo(new WritableStream());
      },
    };
  },
  // The bound is the lists of the neighbour.
  withoutProtection: [
    {
      file: 'api/src/routes/campaigns/export.ts',
      find: 'inTurn: (read, left) => deps.longAnswers.fetchAndRest(organizationId, left, read),',
      replace: 'inTurn: (read) => read(),',
    },
  ],
};
