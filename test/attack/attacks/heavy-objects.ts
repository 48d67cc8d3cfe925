import type { Attack } from '../attack.ts';
import { someNumber } from '../tenant.ts';

export const heavyObjects: Attack = {
  name: 'heavy-objects',
  does: 'a member keeps megabytes in free-form objects, and lists them',
  async begin({ attacker }) {
    const heavy = 'x'.repeat(8_000_000);
    let turn = 0;
    let largest = 0;
    return {
      async send() {
        turn += 1;
        if (turn % 2 === 0) {
          const answer = await attacker.send('GET /api/v1/campaigns?size=100');
          largest = Math.max(largest, answer.text.length / 1e6);
          return;
        }
        await attacker.send('POST /api/v1/campaigns', {
          json: {
            name: 'Heavy',
            agent_id: attacker.agentId,
            phone_numbers: [someNumber()],
            additional_params: { prompt_params: { heavy } },
          },
        });
      },
      figures: async () => [
        { what: 'the largest list of campaigns', measured: largest, unit: 'MB', atMost: 2 },
      ],
    };
  },
  perSecond: 10,
  withoutProtection: [
    {
      file: 'packages/engine/src/campaigns/additional-params.ts',
      find: 'reader.size(rest, at, freeFormBytesAtMost);',
      replace: 'void rest;',
    },
  ],
};
