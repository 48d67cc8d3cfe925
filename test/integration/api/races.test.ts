import { ConflictError } from '@outdial/core';
import { addItem, inTransaction } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';
import { callEveryOperation, everyOperationWorld } from './call-every-operation.ts';
import type { ApiRequest } from './contract-client.ts';

const { client, db, organization } = await apiWorld(everyOperationWorld);

const givenUp = 'The upload took too long and was canceled: send the file again';
const atOnce = 5;
/** Each round hits other interleavings. The fuzz of a CI run may find what a round misses. */
const turns = Number(process.env['RACES_TURNS'] ?? 1);

interface Sent {
  label: string;
  request: ApiRequest;
}

async function world() {
  const acme = await organization();
  const faults: string[] = [];
  const send = async ({ label, request }: Sent) => {
    const answer = await client.send(label, { key: acme.keys.admin, ...request });
    if (answer.status >= 500) faults.push(`${label} ${answer.status} ${answer.bytes.toString()}`);
    return answer;
  };
  return { agentId: await acme.agent(), faults, send };
}

test('the same request, sent five times at once, is answered each time, and done once', async () => {
  for (let turn = 0; turn < turns; turn++) {
    const { agentId, faults, send } = await world();
    await callEveryOperation(db, agentId, async (label, request = {}) => {
      const answers = await Promise.all(Array.from({ length: atOnce }, () => send({ label, request })));
      const [good] = answers.filter(({ status }) => status === 200);
      if (good === undefined) faults.push(`${label} ${answers.map(({ status }) => status).join(', ')}`);
      return good?.json;
    });
    expect(faults).toEqual([]);
  }
});

/** Requests for the same resource: its path and the paths below, and bodies that name it. */
function concerns({ label, request }: Sent, path: string): boolean {
  const id = path.split('/').at(-1) ?? '';
  return label.includes(path) || JSON.stringify(request.json ?? '').includes(decodeURIComponent(id));
}

test('a request that races with the deletion of its resource gets a proper answer', async () => {
  for (let turn = 0; turn < turns; turn++) {
    const { agentId, faults, send } = await world();
    const earlier: Sent[] = [];
    await callEveryOperation(db, agentId, async (label, request = {}) => {
      const now = { label, request };
      const [method, path = ''] = label.split(' ');
      if (method !== 'DELETE') {
        earlier.push(now);
        return (await send(now)).json;
      }
      const others = [...earlier.filter((sent) => concerns(sent, path)), ...usesOf(path)];
      const half = Math.floor(others.length / 2);
      await Promise.all([...others.slice(0, half), now, ...others.slice(half), now].map(send));
    });
    expect(faults).toEqual([]);
  }
});

/** Requests that create something in a resource while it is being deleted. */
function usesOf(path: string): Sent[] {
  const id = /^\/api\/v1\/agents\/([^/]+)$/.exec(path)?.[1];
  if (id === undefined) return [];
  const campaign = { name: 'Late', agent_id: id, phone_numbers: ['+15550100888'] };
  return [
    { label: 'POST /api/v1/campaigns', request: { json: campaign } },
    { label: `POST ${path}/call`, request: { json: { to_phone: '+15551230999' } } },
    { label: 'POST /api/v1/campaigns', request: { json: campaign } },
  ];
}

test('a statement that Postgres cancels is a 503, and the request can be retried', async () => {
  const { agentId, send } = await world();
  const answer = await db.transaction().execute(async (tx) => {
    await tx.selectFrom('agents').select('id').where('id', '=', agentId).forUpdate().execute();
    const waits = send({ label: `PUT /api/v1/agents/${agentId}`, request: { json: { name: 'Late' } } });
    await expect
      .poll(async () => {
        const { rows } = await sql`
          select pg_cancel_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        return rows.length;
      })
      .toBeGreaterThan(0);
    return waits;
  });
  expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } });
  expect(answer.headers.get('retry-after')).toBe('1');
});

test('a file whose upload was canceled is a 409, and can be sent again', async () => {
  const { id: organizationId, keys } = await organization();
  const json = { name: 'Facts' };
  const knowledgeBaseId = await client.create('POST /api/v1/knowledge-base', { key: keys.admin, json });
  const file = { fileKey: 'given-up', fileType: 'TXT', sizeBytes: 1, sha256: Buffer.alloc(32) } as const;
  const limits = { itemsPerBase: 1, bytesPerOrganization: 1_000 };
  const item = { organizationId, knowledgeBaseId, name: 'late', notes: null, limits, ...file };
  await expect(inTransaction(db, (tx) => addItem(tx, item))).rejects.toThrow(
    new ConflictError('upload_expired', givenUp),
  );
});
