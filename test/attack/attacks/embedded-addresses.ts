import type { Attack } from '../attack.ts';

/** This machine and the metadata service of clouds, inside of IPv6 addresses: compatible, mapped, translated, NAT64, 6to4 and Teredo. */
const hosts = [
  '[::127.0.0.1]',
  '[::169.254.169.254]',
  '[::ffff:127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::1]',
  '[2001:0:7f00:1::1]',
];

export const embeddedAddresses: Attack = {
  name: 'embedded-addresses',
  does: 'a tenant creates webhooks whose addresses hide one of this machine or network in IPv6',
  async begin({ attacker }) {
    let taken = 0;
    let turn = 0;
    return {
      async send() {
        const url = `http://${hosts[turn++ % hosts.length] ?? ''}:8080/hook`;
        const answer = await attacker.send('POST /api/v1/webhook-endpoints', { json: { url } });
        if (answer.status === 200) taken += 1;
      },
      figures: async () => [
        { what: 'webhooks that were taken', measured: taken, unit: '', atMost: 0 },
        {
          what: 'addresses that were tried',
          measured: Math.min(turn, hosts.length),
          unit: '',
          atLeast: hosts.length,
        },
      ],
    };
  },
  isLight: true,
  perSecond: 10,
  withoutProtection: [
    {
      file: 'packages/core/src/public-address.ts',
      find: "  '::/3',\n",
      replace: '',
    },
  ],
};
