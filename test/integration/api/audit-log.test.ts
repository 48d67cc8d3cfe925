import { inTransaction, noteChange, runAudited } from '@outdial/db';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';

const world = await apiWorld();
const { client, db, organization } = world;
const log = z.object({ data: z.object({ items: z.array(z.looseObject({ action: z.string() })) }) });

async function entries(key: string, query = '') {
  const answer = await client.send(`GET /api/v1/audit-log${query}`, { key });
  return log.parse(answer.json).data.items;
}

test('records who changed what, when, from where and with which credential', async () => {
  const acme = await organization();
  const key = acme.keys.admin;
  const id = await client.create('POST /api/v1/agents', { key, json: { name: 'Anna' } });
  await client.send(`PUT /api/v1/agents/${id}`, { key, json: { name: 'Berta', config: {} } });
  const credential = await db
    .selectFrom('api_keys')
    .select('id')
    .where('organization_id', '=', acme.id)
    .where('name', '=', 'admin')
    .executeTakeFirstOrThrow();
  expect(await entries(key)).toMatchObject([
    {
      action: 'updateAgent',
      actor: { type: 'user', id: acme.userId, first_name: 'Ada', last_name: 'Lovelace' },
      credential: { type: 'api_key', id: credential.id },
      ip: '127.0.0.1',
      target: { type: 'agent', id },
      changes: { name: { before: 'Anna', after: 'Berta' } },
    },
    {
      action: 'createAgent',
      target: { type: 'agent', id },
      changes: { name: { before: null, after: 'Anna' } },
    },
  ]);
  expect(await entries(key, `?action=createAgent&target_id=${id}&user_id=${acme.userId}`)).toHaveLength(1);
  expect(await entries(key, '?to=2020-01-01T00:00:00Z')).toEqual([]);
});

test('has the address that a trusted proxy tells, and believes nobody else', async () => {
  const behind = await apiWorld({ config: { trustedProxies: 1 } });
  const addressIn = async ({ client, organization }: typeof world) => {
    const { keys } = await organization();
    const headers = { 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' };
    await client.send('POST /api/v1/agents', { key: keys.admin, json: { name: 'Anna' }, headers });
    return (await client.send('GET /api/v1/audit-log', { key: keys.admin })).json;
  };
  expect(await addressIn(world)).toMatchObject({ data: { items: [{ ip: '127.0.0.1' }] } });
  expect(await addressIn(behind)).toMatchObject({ data: { items: [{ ip: '198.51.100.7' }] } });
});

test('refused and repeated requests leave no entry', async () => {
  const acme = await organization();
  const key = acme.keys.admin;
  const once = { key, json: { name: 'Anna' }, headers: { 'Idempotency-Key': 'once' } };
  await client.send('POST /api/v1/agents', once);
  await client.send('POST /api/v1/agents', once);
  await client.send('POST /api/v1/agents', { ...once, json: { name: 'Other' } });
  await client.send('POST /api/v1/agents', { key: acme.keys.viewer, json: { name: 'Anna' } });
  expect(await entries(key)).toHaveLength(1);
});

test('an operation that notes nothing itself is logged with the fields that it sent', async () => {
  const acme = await organization();
  const agentId = await acme.agent();
  const id = await client.create(`POST /api/v1/agents/${agentId}/call`, {
    key: acme.keys.member,
    json: { to_phone: '+15551230077', prompt_params: { name: 'Grace' } },
  });
  const listed = await entries(acme.keys.admin);
  expect(listed).toMatchObject([
    {
      action: 'makeCall',
      target: { type: 'call', id },
      fields: ['to_phone', 'prompt_params'],
    },
  ]);
  expect(JSON.stringify(listed)).not.toMatch(/15551230077|Grace/);
});

test('a campaign’s status and config are logged as they were and as they are', async () => {
  const acme = await organization();
  const key = acme.keys.admin;
  const json = { name: 'Spring', agent_id: await acme.agent(), phone_numbers: ['+15551230000'] };
  const id = await client.create('POST /api/v1/campaigns', { key, json });
  await client.send(`PUT /api/v1/campaigns/${id}/config`, { key, json: { call_back_attempts: 2 } });
  await client.send(`PUT /api/v1/campaigns/${id}/status`, { key, json: { status: 'canceled' } });
  const target = { type: 'campaign', id };
  expect(await entries(key)).toMatchObject([
    { action: 'setCampaignStatus', target, changes: { status: { before: 'draft', after: 'canceled' } } },
    { action: 'setCampaignConfig', target, changes: { call_back_attempts: { before: 0, after: 2 } } },
    { action: 'createCampaign', target },
  ]);
  const [, config] = await entries(key);
  expect(Object.keys(z.object({ changes: z.object({}).loose() }).parse(config).changes)).toEqual([
    'call_back_attempts',
  ]);
});

test('a change whose values are personal is logged with the names of its fields', async () => {
  const acme = await organization();
  const key = acme.keys.admin;
  const path = `/api/v1/users/${acme.userId}`;
  await client.send(`PUT ${path}`, { key, json: { email: 'grace@example.com' } });
  await client.send(`PUT ${path}`, { key, json: { last_name: 'Hopper', role: 'admin' } });
  const target = { type: 'user', id: acme.userId };
  const listed = await entries(key);
  expect(listed).toMatchObject([
    { action: 'updateUser', target, changes: {}, fields: ['last_name', 'role'] },
    { action: 'updateUser', target, changes: {}, fields: ['email'] },
  ]);
  expect(JSON.stringify(listed.map(({ changes, fields }) => [changes, fields]))).not.toMatch(/grace|Hopper/);
});

test('only admins read it, and only that of their organization', async () => {
  const [acme, other] = [await organization(), await organization()];
  await client.send('POST /api/v1/agents', { key: other.keys.admin, json: { name: 'Anna' } });
  expect(await entries(acme.keys.admin)).toEqual([]);
  const answer = await client.send('GET /api/v1/audit-log', { key: acme.keys.manager });
  expect(answer.status).toBe(403);
});

test('it is in the transaction of the change, and nothing in it can be changed', async () => {
  const acme = await organization();
  const origin = {
    actor: { kind: 'operator', name: 'root' } as const,
    organizationId: acme.id,
    action: 'outdial test',
    target: null,
    fields: [],
  };
  const rename = (fails: boolean) =>
    runAudited(origin, () =>
      inTransaction(db, async (tx) => {
        await tx.updateTable('organizations').set({ name: 'New' }).where('id', '=', acme.id).execute();
        noteChange({ type: 'organization', id: acme.id, before: { name: 'Acme' }, after: { name: 'New' } });
        if (fails) throw new Error('afterwards');
      }),
    );
  await expect(rename(true)).rejects.toThrow('afterwards');
  expect(await entries(acme.keys.admin)).toEqual([]);
  await rename(false);
  expect(await entries(acme.keys.admin)).toMatchObject([
    { actor: { type: 'operator', id: null, name: 'root' }, credential: null, ip: null },
  ]);
  const rows = db.updateTable('audit_log').set({ action: 'other' }).where('organization_id', '=', acme.id);
  await expect(rows.execute()).rejects.toThrow('append-only');
  await expect(db.deleteFrom('audit_log').where('organization_id', '=', acme.id).execute()).rejects.toThrow(
    'append-only',
  );
});
