import type { Attack } from '../attack.ts';
import { openTenant } from '../tenant.ts';

/** So low that three seconds of requests exceed the limit of two minutes. */
const perMinute = 20;

export const flood: Attack = {
  name: 'flood',
  does: 'an organization that may ask 20 times a minute asks 50 times a second',
  async begin({ api, db }) {
    // A separate tenant, so that this limit does not slow the other attacks.
    const tenant = await openTenant(db, api.url);
    await db
      .updateTable('organizations')
      .set({ requests_per_minute: perMinute })
      .where('id', '=', tenant.organizationId)
      .execute();
    const startedAt = performance.now();
    let answered = 0;
    let refused = 0;
    let withAdvice = 0;
    return {
      async send() {
        const answer = await tenant.send('GET /api/v1/campaigns');
        if (answer.status === 200) answered += 1;
        if (answer.status !== 429) return;
        refused += 1;
        if (answer.headers.has('retry-after') && answer.headers.has('ratelimit')) withAdvice += 1;
      },
      async figures() {
        const minutes = Math.ceil((performance.now() - startedAt) / 60_000) + 1;
        return [
          {
            what: 'answers beyond its limit',
            measured: Math.max(0, answered - perMinute * minutes),
            unit: 'requests',
            atMost: 0,
          },
          {
            what: 'refusals without Retry-After and RateLimit',
            measured: refused - withAdvice,
            unit: 'requests',
            atMost: 0,
          },
        ];
      },
    };
  },
  settings: { RATE_LIMITS: 'on' },
  withoutProtection: [
    {
      file: 'api/src/http/mount-routes.ts',
      find: 'await deps.rateLimits?.take(principal, res);',
      replace: 'void deps.rateLimits;',
    },
  ],
};
