import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';

const { aSecondLater, baseUrl, client, db, organization } = await apiWorld();
type Acme = Awaited<ReturnType<typeof organization>>;

/** Sends the headers, and resolves when the api has judged the key, which is new. */
async function begin(acme: Acme, label: string, json: object) {
  const [method, path] = label.split(' ');
  const body = JSON.stringify(json);
  const sent = request(`${baseUrl}${path}`, {
    method,
    headers: {
      'X-API-Key': acme.keys.admin,
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    },
  });
  onTestFinished(() => void sent.destroy());
  sent.flushHeaders();
  await expect.poll(() => isUsed(acme)).toBe(true);
  return async () => answerTo(sent, body);
}

async function isUsed(acme: Acme): Promise<boolean> {
  const rows = await db
    .selectFrom('api_keys')
    .select('id')
    .where('organization_id', '=', acme.id)
    .where('role', '=', 'admin')
    .where('last_used_at', 'is not', null)
    .execute();
  return rows.length > 0;
}

async function answerTo(sent: ClientRequest, body: string): Promise<{ status: number; code: unknown }> {
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { code } = z.looseObject({ code: z.unknown() }).parse(JSON.parse(await text(response)));
  return { status: response.statusCode ?? 0, code };
}

async function createCampaign(acme: Acme): Promise<string> {
  const numbers = ['+4930123456', '+4930123457'];
  const json = { name: 'Long', agent_id: await acme.agent(), phone_numbers: numbers };
  return client.create('POST /api/v1/campaigns', { key: acme.keys.admin, json });
}

const losses = {
  'the key was revoked': {
    answer: { status: 401, code: 'unauthorized' },
    lose: async (acme: Acme) => {
      await db
        .updateTable('api_keys')
        .set({ revoked_at: new Date() })
        .where('organization_id', '=', acme.id)
        .execute();
    },
  },
  'the user was disabled': {
    answer: { status: 401, code: 'unauthorized' },
    lose: async (acme: Acme) => {
      await db
        .updateTable('users')
        .set({ disabled_at: new Date() })
        .where('organization_id', '=', acme.id)
        .execute();
    },
  },
  'the user was demoted': {
    answer: { status: 403, code: 'forbidden_role' },
    lose: async (acme: Acme) => {
      await db.updateTable('users').set({ role: 'viewer' }).where('organization_id', '=', acme.id).execute();
    },
  },
};

const changes: Record<string, (acme: Acme) => Promise<{ label: string; json: object }>> = {
  'a key': async () => ({ label: 'POST /api/v1/api-keys', json: { name: 'Another' } }),
  'a user': async () => ({
    label: 'POST /api/v1/users',
    json: { email: 'mallory@example.com', first_name: 'Mallory', last_name: 'M', role: 'admin' },
  }),
  'their own role': async ({ userId }) => ({ label: `PUT /api/v1/users/${userId}`, json: { role: 'admin' } }),
  'a call': async (acme) => ({
    label: `POST /api/v1/agents/${await acme.agent()}/call`,
    json: { to_phone: '+4930123456' },
  }),
  'a campaign': async (acme) => ({
    label: 'POST /api/v1/campaigns',
    json: { name: 'Late', agent_id: await acme.agent(), phone_numbers: ['+4930123456'], status: 'running' },
  }),
};

async function granted(acme: Acme): Promise<unknown[]> {
  const of = (table: 'api_keys' | 'users' | 'calls' | 'campaigns') =>
    db.selectFrom(table).select('id').where('organization_id', '=', acme.id).orderBy('id').execute();
  const roles = db.selectFrom('users').select('role').where('organization_id', '=', acme.id).execute();
  return Promise.all([of('api_keys'), of('users'), of('calls'), of('campaigns'), roles]);
}

/** Each loss with one change, and each change with one loss: their transactions ask the same question. */
const pairs = (Object.keys(losses) as Array<keyof typeof losses>).flatMap((loss, n) =>
  Object.entries(changes)
    .filter((_, nth) => n === 0 || nth === n)
    .map(([what, change]) => ({ loss, what, change })),
);

test.each(pairs)('a body that comes after $loss gives nobody $what', async ({ loss, change }) => {
  const { lose, answer } = losses[loss];
  const acme = await organization();
  const { label, json } = await change(acme);
  const complete = await begin(acme, label, json);
  await lose(acme);
  const before = await granted(acme);
  // The api still remembers its judgement, so the transaction finds the loss.
  expect(await complete()).toEqual(answer);
  expect(await granted(acme)).toEqual(before);
});

describe.each(Object.entries(losses))('a body that comes after %s', (_, { lose, answer }) => {
  test('is judged again before it is validated', async () => {
    const acme = await organization();
    const complete = await begin(acme, 'POST /api/v1/users', { no: 'user' });
    await lose(acme);
    aSecondLater();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await complete()).toEqual(answer);
  });
});

describe('a stream of events', () => {
  async function openStream(acme: Acme) {
    const id = await createCampaign(acme);
    const answer = await fetch(`${baseUrl}/api/v1/campaigns/${id}/stream`, {
      headers: { 'X-API-Key': acme.keys.viewer },
    });
    expect(answer.status).toBe(200);
    const cut = answer.text().then(
      () => 'ended',
      () => 'cut',
    );
    return { cut };
  }

  test.each(['the key was revoked', 'the user was disabled'] as const)('ends after %s', async (loss) => {
    const acme = await organization();
    const { cut } = await openStream(acme);
    await losses[loss].lose(acme);
    expect(await cut).toBe('cut');
  });

  test('ends after a person of the organization was erased, and nobody else’s does', async () => {
    const [acme, other] = [await organization(), await organization()];
    const [erased, kept] = [await openStream(acme), await openStream(other)];
    const answer = await client.send('POST /api/v1/erasures', {
      key: acme.keys.admin,
      json: { phone_number: '+4930123456' },
    });
    expect(answer.status).toBe(200);
    expect(await erased.cut).toBe('cut');
    expect(await Promise.race([kept.cut, Promise.resolve('open')])).toBe('open');
    await losses['the key was revoked'].lose(other);
    expect(await kept.cut).toBe('cut');
  });
});

describe('a read whose answer has not begun', () => {
  /** Reads a table while another transaction locks it. Resolves when the read waits. */
  async function beginToRead(acme: Acme, label = 'GET /api/v1/agents', table = 'agents') {
    const { promise: isOver, resolve: finish } = Promise.withResolvers<void>();
    onTestFinished(() => finish());
    const isLocked = Promise.withResolvers<void>();
    void db.transaction().execute(async (locking) => {
      await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(locking);
      isLocked.resolve();
      await isOver;
    });
    await isLocked.promise;
    const outcome = client
      .send(label, { key: acme.keys.admin, ...bodyOf(label) })
      .then(({ status, json }) => ({
        status,
        code: z.looseObject({ code: z.string() }).parse(json).code,
      }));
    await expect.poll(async () => isWaitingFor(table)).toBe(true);
    return { outcome };
  }

  const bodyOf = (label: string) => (label.startsWith('POST') ? { json: {} } : {});

  async function isWaitingFor(table: string): Promise<boolean> {
    const { rows } =
      await sql`select from pg_locks where relation = ${table}::regclass and not granted`.execute(db);
    return rows.length > 0;
  }

  test.each(['the key was revoked', 'the user was disabled'] as const)(
    'is refused after %s',
    async (loss) => {
      const acme = await organization();
      const { outcome } = await beginToRead(acme);
      await losses[loss].lose(acme);
      expect(await outcome).toEqual(losses[loss].answer);
    },
  );

  test.each([
    ['POST /api/v1/campaigns/{id}/forecast', 'campaigns'],
    ['GET /api/v1/campaigns/{id}/export', 'campaign_recipients'],
    ['GET /api/v1/people/%2B4930123456/defense', 'consents'],
  ])('%s is refused after the user was demoted', async (label, table) => {
    const acme = await organization();
    const id = await createCampaign(acme);
    const { outcome } = await beginToRead(acme, label.replace('{id}', id), table);
    const { lose, answer } = losses['the user was demoted'];
    await lose(acme);
    expect(await outcome).toEqual(answer);
  });

  test('may be repeated after a person of the organization was erased', async () => {
    const acme = await organization();
    const { outcome } = await beginToRead(acme);
    const erased = client.send('POST /api/v1/erasures', {
      key: acme.keys.admin,
      json: { phone_number: '+4930123456' },
    });
    expect(await outcome).toEqual({ status: 503, code: 'erased_meanwhile' });
    expect((await erased).status).toBe(200);
  });
});
