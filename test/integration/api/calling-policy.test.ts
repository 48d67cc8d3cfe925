import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';
import { idOf } from './contract-client.ts';

const { client, db, organization } = await apiWorld();
const acme = await organization();
const agentId = await acme.agent();

const setPolicy = (policy: string, key = acme.keys.admin) =>
  client.send('PUT /api/v1/organization', { key, json: { calling_policy: policy } });

const faults = z.object({ detail: z.array(z.object({ loc: z.array(z.unknown()), msg: z.string() })) });

async function create(recipient: object) {
  const number = '+13055550100';
  return client.send('POST /api/v1/campaigns', {
    key: acme.keys.manager,
    json: {
      name: 'Test',
      agent_id: agentId,
      phone_numbers: [number],
      additional_params: { recipients: { [number]: recipient } },
    },
  });
}

describe('the calling policy of an organization', () => {
  test('is none unless it is set, is set by admins, and its change is in the audit log', async () => {
    const read = () => client.send('GET /api/v1/organization', { key: acme.keys.viewer });
    expect((await read()).json).toMatchObject({ data: { calling_policy: 'none' } });
    expect((await setPolicy('strict', acme.keys.manager)).status).toBe(403);
    expect((await setPolicy('lenient')).status).toBe(422);
    expect((await setPolicy('strict')).json).toMatchObject({ data: { calling_policy: 'strict' } });
    const log = await client.send('GET /api/v1/audit-log', { key: acme.keys.admin });
    expect(JSON.stringify(log.json)).toContain('"calling_policy"');
  });

  test('applies to existing and new campaigns', async () => {
    const policies = async () => {
      const rows = await db
        .selectFrom('campaigns')
        .select('calling_policy')
        .where('organization_id', '=', acme.id)
        .execute();
      return new Set(rows.map((row) => row.calling_policy));
    };
    await create({});
    await setPolicy('standard');
    expect(await policies()).toEqual(new Set(['standard']));
    await create({});
    expect(await policies()).toEqual(new Set(['standard']));
  });

  test('refuses a direct call to a number without any hour', async () => {
    await setPolicy('standard');
    // A universal freephone number belongs to no country.
    const answer = await client.send(`POST /api/v1/agents/${agentId}/call`, {
      key: acme.keys.member,
      json: { to_phone: '+80012345600' },
    });
    expect(answer.status).toBe(409);
    expect(answer.json).toMatchObject({ code: 'outside_calling_hours' });
    await setPolicy('none');
  });
});

describe('the location that a caller specifies', () => {
  test.each([
    [{ region: 'US-ZZ' }, 'region', 'Input should be a country'],
    [{ region: 'US-FL', timezone: 'America/Denver' }, 'timezone', 'is not a time zone of US-FL'],
    [{ region: 'US-FL', postal_code: '97201' }, 'postal_code', 'is in US-OR'],
    [{ postal_code: 5 }, 'postal_code', 'valid string'],
  ])('is refused with a reason if it is impossible: %j', async (recipient, field, msg) => {
    const answer = await create(recipient);
    expect(answer.status).toBe(422);
    const [fault] = faults.parse(answer.json).detail;
    expect(fault?.loc).toEqual(['body', 'additional_params', 'recipients', '+13055550100', field]);
    expect(fault?.msg).toContain(msg);
  });

  test('refuses a contradictory recipient, and adds the others', async () => {
    const id = idOf((await create({})).json);
    const answer = await client.send(`POST /api/v1/campaigns/${id}/recipients`, {
      key: acme.keys.manager,
      json: {
        recipients: [
          { phone_number: '+13055550101', region: 'US-FL', timezone: 'America/Denver' },
          { phone_number: '+13055550102', region: 'US-FL', postal_code: '33101' },
        ],
      },
    });
    expect(answer.json).toMatchObject({ data: { added: 1, refused: [{ index: 0 }] } });
  });
});
