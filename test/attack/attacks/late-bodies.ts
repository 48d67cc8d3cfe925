import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { openTenant, someNumber } from '../tenant.ts';

/** Longer than the api remembers a judgement. */
const judgedForMs = 1_500;
const streamsEndWithinMs = 2_000;

export const lateBodies: Attack = {
  name: 'late-bodies',
  does: 'an admin sends headers, loses the key, and then sends the bodies; streams of events were open before',
  async begin({ api, db }) {
    // A separate tenant, because its keys are revoked.
    const tenant = await openTenant(db, api.url);
    const { hostname, port } = new URL(api.url);
    const campaign = await tenant.send('POST /api/v1/campaigns', {
      json: { name: 'Streamed', agent_id: tenant.agentId, phone_numbers: [someNumber()] },
    });
    const campaignId = /"id":"([0-9a-f-]{36})"/.exec(campaign.text)?.[1] ?? '';
    const changes: Array<[string, object]> = [
      ['/api/v1/api-keys', { name: 'Kept' }],
      ['/api/v1/users', { email: 'kept@example.com', first_name: 'A', last_name: 'B', role: 'admin' }],
      [`/api/v1/agents/${tenant.agentId}/call`, { to_phone: someNumber() }],
    ];

    function open(head: string): Socket {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(`${head}\r\nHost: x\r\nX-API-Key: ${tenant.keys.admin}\r\n`);
      return socket;
    }
    return {
      async send() {
        await tenant.send('GET /api/v1/users');
      },
      async figures() {
        const streams = [1, 2, 3].map(() => {
          const socket = open(`GET /api/v1/campaigns/${campaignId}/stream HTTP/1.1`);
          socket.write('\r\n');
          socket.resume();
          return new Promise<number>((resolve) => socket.once('close', () => resolve(performance.now())));
        });
        const late = changes.map(([path, json]) => {
          const body = JSON.stringify(json);
          const socket = open(`POST ${path} HTTP/1.1`);
          socket.write(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`);
          return { socket, body };
        });
        await sleep(judgedForMs);
        // So that the api has just judged the key.
        await tenant.send('GET /api/v1/users');
        await db
          .updateTable('api_keys')
          .set({ revoked_at: new Date() })
          .where('organization_id', '=', tenant.organizationId)
          .execute();
        const revokedAt = performance.now();
        // One half at once, while the api remembers its judgement, and the rest afterwards.
        const statuses = late.map(async ({ socket, body }, at) => {
          if (at % 2 === 1) await sleep(judgedForMs);
          return firstLine(socket, body);
        });
        const granted = (await Promise.all(statuses)).filter((line) => line.includes(' 200 ')).length;
        const ends = Promise.all(
          streams.map((end) => Promise.race([end, sleep(10_000, Number.POSITIVE_INFINITY)])),
        );
        return [
          { what: 'rights and calls granted after the loss', measured: granted, unit: 'requests', atMost: 0 },
          {
            what: 'the longest that a stream of events went on',
            measured: Math.max(...(await ends)) - revokedAt,
            unit: 'ms',
            atMost: streamsEndWithinMs,
          },
        ];
      },
    };
  },
  isLight: true,
  perSecond: 2,
  withoutProtection: [
    {
      file: 'db/src/audit/audit-scope.ts',
      find: 'if (scope.origin.rights !== undefined) await',
      replace: 'if (scope.written) await',
    },
    {
      file: 'api/src/http/open-answers.ts',
      find: 'const lookEveryMs = 500;',
      replace: 'const lookEveryMs = 500_000;',
    },
  ],
};

function firstLine(socket: Socket, body: string): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (chunk) => resolve(String(chunk).split('\r\n')[0] ?? ''));
    socket.once('close', () => resolve(''));
    socket.write(body);
  });
}
