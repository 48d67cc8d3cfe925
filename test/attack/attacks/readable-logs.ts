import type { Attack } from '../attack.ts';
import { someNumber } from '../tenant.ts';

export const readableLogs: Attack = {
  name: 'readable-logs',
  does: 'requests that break rules of the database have people written into its log, where no erasure finds them',
  async begin({ attacker, personalLines }) {
    return {
      async send() {
        const number = someNumber();
        const named = { email: 'grace.hopper@example.com', first_name: 'Grace', last_name: 'Hopper' };
        await attacker.send('POST /api/v1/users', { json: { ...named, role: 'viewer' } });
        await attacker.send(`GET /api/v1/people/${encodeURIComponent(number)}/export`);
        await attacker.send('POST /api/v1/suppressions', { json: { phone_number: number } });
        await attacker.send('POST /api/v1/erasures', { json: { phone_number: number } });
      },
      figures: async () => [
        {
          what: 'lines of logs that name a person',
          measured: personalLines().length,
          unit: '',
          atMost: 0,
        },
      ],
    };
  },
  isLight: true,
  perSecond: 10,
  withoutProtection: [
    {
      file: 'packages/local/src/embedded-postgres/settings.ts',
      find: "log_error_verbosity: 'terse',",
      replace: "log_error_verbosity: 'default',",
    },
  ],
};
