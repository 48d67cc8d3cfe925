import type { Attack } from '../attack.ts';

/** Numbers that look invented, or like another country's, and cost the operator: premium, directory, shared cost, personal and emergency ones. */
const costly = [
  '+19005551234',
  '+12125551212',
  '+12125554334',
  '+491371234567',
  '+34905123456',
  '+39199123456',
  '+31841234567',
  '+447012345678',
  '+911',
] as const;

export const inventedNumbers: Attack = {
  name: 'invented-numbers',
  does: 'a tenant calls numbers that cost the operator, some of which look like invented ones',
  async begin({ attacker }) {
    let taken = 0;
    let turn = 0;
    return {
      async send() {
        const number = costly[turn++ % costly.length] ?? '';
        const call = await attacker.send(`POST /api/v1/agents/${attacker.agentId}/call`, {
          json: { to_phone: number },
        });
        const campaign = await attacker.send('POST /api/v1/campaigns', {
          json: { name: 'Costly', agent_id: attacker.agentId, phone_numbers: [number], status: 'running' },
        });
        taken += [call, campaign].filter(({ status }) => status < 300).length;
      },
      figures: async () => [
        { what: 'calls and campaigns to costly numbers', measured: taken, unit: '', atMost: 0 },
        {
          what: 'numbers that were tried',
          measured: Math.min(turn, costly.length),
          unit: '',
          atLeast: costly.length,
        },
      ],
    };
  },
  isLight: true,
  perSecond: 10,
  withoutProtection: [
    {
      file: 'packages/core/src/destination.ts',
      find: '  if (special !== null && !rules.allowedSpecial.includes(special)) {',
      replace: '  if (special === undefined) {',
    },
  ],
};
