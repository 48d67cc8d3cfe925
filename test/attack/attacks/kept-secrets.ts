import { sql } from 'kysely';
import type { Attack } from '../attack.ts';
import { idOf, openTenant, someNumber } from '../tenant.ts';

export const keptSecrets: Attack = {
  name: 'kept-secrets',
  does: 'somebody who reads the stored answers of requests looks for the secrets of webhooks and for telephone numbers',
  async begin({ api, db }) {
    // A separate tenant, because an organization has few webhooks.
    const tenant = await openTenant(db, api.url);
    let turn = 0;
    const url = 'https://example.com/hook';
    const made = await tenant.send('POST /api/v1/webhook-endpoints', { json: { url } });
    const rotate = `POST /api/v1/webhook-endpoints/${idOf(made)}/rotate-secret`;
    return {
      async send() {
        turn += 1;
        const headers = { 'Idempotency-Key': `${turn}-${someNumber()}` };
        await tenant.send(rotate, { headers });
        await tenant.send(rotate, { headers });
        await tenant.send('POST /api/v1/api-keys', { headers, json: { name: 'CRM', role: 'viewer' } });
      },
      async figures() {
        const { rows } = await sql<{ kept: number; telling: number }>`
          select count(*)::int as kept, (count(*) filter (
            where response::text like '%whsec\\_%' or response::text ~ 'od_[A-Za-z0-9]{8}' or key ~ '1555[0-9]{7}'))::int as telling
          from idempotency_keys where organization_id = ${tenant.organizationId}`.execute(db);
        return [
          { what: 'stored answers', measured: rows[0]?.kept ?? 0, unit: '' as const, atLeast: 2 },
          {
            what: 'stored answers with a secret or a number',
            measured: rows[0]?.telling ?? 0,
            unit: '' as const,
            atMost: 0,
          },
        ];
      },
    };
  },
  isLight: true,
  perSecond: 5,
  withoutProtection: [
    {
      file: 'db/src/idempotency/idempotency-keys.ts',
      find: "return `sha256:${hash('sha256', JSON.stringify([organizationId, path, key]), 'base64url')}`;",
      replace: 'void [hash, organizationId, path];\n  return key;',
    },
    {
      file: 'api/src/routes/webhooks/endpoints.ts',
      find: 'return { kept: updated({ ...endpointView(row), secret: null }) };',
      replace: 'return { kept: updated({ ...endpointView(row), secret }) };',
    },
  ],
};
