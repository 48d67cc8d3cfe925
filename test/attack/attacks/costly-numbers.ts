import type { Attack } from '../attack.ts';

/** Premium, shared-cost, satellite and emergency numbers, and numbers outside every numbering plan. */
const numbers = [
  '+19002345678',
  '+448712345678',
  '+499001234567',
  '+881612345678',
  '+870773111632',
  '+882161234567',
  '+19115551234',
  '+1112345678',
  '+999123456789',
  '+442079',
];

export const costlyNumbers: Attack = {
  name: 'costly-numbers',
  does: 'a member calls premium, satellite and impossible numbers, alone and as recipients of a campaign',
  async begin({ attacker }) {
    let accepted = 0;
    let turn = 0;
    return {
      async send() {
        const number = numbers[turn % numbers.length] ?? '';
        turn += 1;
        const answer =
          turn % 2 === 0
            ? await attacker.send('POST /api/v1/campaigns', {
                role: 'member',
                json: { name: 'Costly', agent_id: attacker.agentId, phone_numbers: [number] },
              })
            : await attacker.send(`POST /api/v1/agents/${attacker.agentId}/call`, {
                role: 'member',
                json: { to_phone: number },
              });
        if (answer.status < 400) accepted += 1;
      },
      figures: async () => [
        { what: 'costly numbers that were accepted', measured: accepted, unit: 'requests', atMost: 0 },
      ],
    };
  },
  withoutProtection: [
    {
      file: 'packages/core/src/destination.ts',
      find: 'if (special !== null && !rules.allowedSpecial.includes(special)) {',
      replace: 'if (special !== null && rules.allowedSpecial.length > 99) {',
    },
  ],
};
