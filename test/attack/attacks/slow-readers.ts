import { connect, type Socket } from 'node:net';
import { sql } from 'kysely';
import type { Attack } from '../attack.ts';
import { idOf, openTenant, someNumber } from '../tenant.ts';

export const slowReaders: Attack = {
  name: 'slow-readers',
  does: 'viewers ask for a long campaign, and take it at 80 KB a second',
  async begin({ api, db }) {
    // A separate tenant, so that the lists of the other attacks stay short.
    const tenant = await openTenant(db, api.url);
    const made = await tenant.send('POST /api/v1/campaigns', {
      json: {
        name: 'Long',
        agent_id: tenant.agentId,
        phone_numbers: Array.from({ length: 6_000 }, someNumber),
      },
    });
    const id = idOf(made);
    await sql`update campaigns set recipient_params = convert_to('{"x": "' || repeat('x', 30000000) || '"}', 'UTF8')
      where id = ${id}`.execute(db);
    const { hostname, port } = new URL(api.url);
    const sockets: Socket[] = [];
    return {
      async send() {
        const socket = connect(Number(port), hostname);
        sockets.push(socket);
        socket.on('error', () => undefined);
        socket.write(
          `GET /api/v1/campaigns/${id} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${tenant.keys.viewer}\r\n\r\n`,
        );
        // 16 KB, five times a second.
        socket.on('data', () => {
          socket.pause();
          setTimeout(() => socket.resume(), 200);
        });
      },
      async figures() {
        const { rows } = await sql<{ held: number }>`
          select count(*)::integer as held from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction'
            and state_change < clock_timestamp() - interval '500 milliseconds'`.execute(db);
        for (const socket of sockets) socket.destroy();
        return [
          {
            what: 'database connections held while a client reads',
            measured: rows[0]?.held ?? Number.NaN,
            unit: '',
            atMost: 0,
          },
        ];
      },
    };
  },
  perSecond: 10,
  withoutProtection: [
    {
      file: 'api/src/http/long-answers.ts',
      find: 'read: { perOrganization: 4, together: 12, forOthers: 6 },',
      replace: 'read: { perOrganization: 4_000, together: 12_000, forOthers: 0 },',
    },
    {
      file: 'api/src/routes/campaigns/answer-campaign.ts',
      find: 'const { record, item } = await fetchLongCampaign(deps, key);',
      replace:
        'return deps.db.transaction().execute(async (tx) => {\n  const { record, item } = await fetchLongCampaign({ ...deps, db: deps.db }, key);\n  await findCampaign(tx, key);',
    },
    {
      file: 'api/src/routes/campaigns/answer-campaign.ts',
      find: 'return streamJson(res, envelopeJson(message, meta, campaignJson(item)), pace);',
      replace: 'return streamJson(res, envelopeJson(message, meta, campaignJson(item)), pace);\n  });',
    },
  ],
};
