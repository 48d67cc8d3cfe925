import { randomUUID } from 'node:crypto';
import { addedRecipients, recipient } from '@outdial/contracts';
import { eraseDeletedCampaign, withdrawChunk } from '@outdial/db';
import { withdrawRecipients } from '@outdial/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from '../api/api-world.ts';
import { overlapping } from '../engine/by-hand.ts';
import { bring, createPaused, done, numbers, setClock } from './campaign-requests.ts';

const { client, db, organization } = await apiWorld();
const acme = await organization();
const { viewer, manager } = acme.keys;
await setClock(db);

const added = z.object({ data: addedRecipients });
const listOf = z.object({ data: z.object({ items: z.array(recipient) }) });

async function list(campaignId: string, query = '') {
  const answer = await client.send(`GET /api/v1/campaigns/${campaignId}/recipients?${query}`, {
    key: viewer,
  });
  return listOf.parse(answer.json).data.items;
}

async function idOf(campaignId: string, phoneNumber: string): Promise<string> {
  const [found] = await list(campaignId, `phone_number=${encodeURIComponent(phoneNumber)}`);
  if (found === undefined) throw new Error(`no recipient ${phoneNumber}`);
  return found.id;
}

const setStatus = (id: string, status: string) =>
  client.send(`PUT /api/v1/campaigns/${id}/status`, { key: manager, json: { status } });

describe('adding recipients', () => {
  const add = (id: string, json: unknown, headers: Record<string, string> = {}) =>
    client.send(`POST /api/v1/campaigns/${id}/recipients`, { key: manager, json, headers });

  test('adds new recipients, keeps known ones, and refuses invalid ones with a reason', async () => {
    const { id } = await createPaused(client, acme);
    const answer = await add(id, {
      recipients: [
        { phone_number: '+442079460958', timezone: 'Europe/London', prompt_params: { name: 'Ada' } },
        { phone_number: numbers[0] },
        { phone_number: '+442079460958' },
        { phone_number: '020 7946' },
        { phone_number: '+15550100199', timezone: 'Mars/Olympus' },
        { phone_number: '+15550100198', nickname: 'Bob' },
        { phone_number: '+442079460958', prompt_params: { name: 'Grace' } },
      ],
    });
    const { data } = added.parse(answer.json);
    expect(data).toMatchObject({ added: 1, already_there: 2 });
    expect(data.refused.map(({ index }) => index)).toEqual([3, 4, 5, 6]);
    expect(data.refused[3]?.reason).toContain('repeats the number of item 0 with other values');
    expect(data.refused[0]?.reason).toContain('+15550100123');
    expect(data.refused[1]?.reason).toContain('timezone');
    expect(JSON.stringify(data)).not.toContain('7946');
    const [ada] = await list(id, 'limit=1');
    expect(ada).toMatchObject({
      phone_number: '+442079460958',
      timezone: 'Europe/London',
      prompt_params: { name: 'Ada' },
      state: 'waiting',
    });
    const { calling_keys: keys, revision } = await db
      .selectFrom('campaigns')
      .select(['calling_keys', 'revision'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(keys).toEqual(['Europe/London', 'UTC']);
    // Gates that were planned in the old zone do not open.
    expect(revision).toBeGreaterThan(1);
  });

  test('refuses a recipient with more values than any list may have for one', async () => {
    const { id } = await createPaused(client, acme);
    const prompt_params = (length: number) => ({ notes: 'x'.repeat(length) });
    // {"prompt_params":{"notes":""}}
    const most = 16 * 1024 - 30;
    const answer = await add(id, [
      { phone_number: '+15550100120', prompt_params: prompt_params(most + 1) },
      { phone_number: '+15550100121', prompt_params: prompt_params(most) },
    ]);
    const { data } = added.parse(answer.json);
    expect(data).toMatchObject({
      added: 1,
      refused: [{ index: 0, reason: 'Input should have at most 16384 bytes of JSON' }],
    });
  });

  test('takes a bare list and a single recipient, while the campaign runs too, and wakes it', async () => {
    const { id } = await createPaused(client, acme);
    await setStatus(id, 'running');
    await sql`update campaign_runtime set wake_at = null where campaign_id = ${id}`.execute(db);
    expect(added.parse((await add(id, [{ phone_number: '+15550100110' }])).json).data.added).toBe(1);
    expect(added.parse((await add(id, { phone_number: '+15550100111' })).json).data.added).toBe(1);
    const { rows } = await sql<{ wake_at: Date | null }>`
      select wake_at from campaign_runtime where campaign_id = ${id}`.execute(db);
    expect(rows[0]?.wake_at).not.toBeNull();
  });

  test('brings back a withdrawn recipient; one who was reached is not called again', async () => {
    const { id } = await createPaused(client, acme);
    const [first = '', second = ''] = numbers;
    await bring(db, id, second, { ...done, last_outcome: 'completed' });
    await client.send(`DELETE /api/v1/campaigns/${id}/recipients/${await idOf(id, first)}`, { key: manager });
    await client.send(`PUT /api/v1/campaigns/${id}`, {
      key: manager,
      json: { phone_numbers: ['+15550100150'] },
    });
    await add(
      id,
      numbers.map((phone_number) => ({ phone_number })),
    );
    const states = (await list(id)).map((one) => [one.phone_number, one.state]);
    expect(Object.fromEntries(states)).toMatchObject({ [first]: 'waiting', [second]: 'reached' });
  });

  test('happens once for an Idempotency-Key', async () => {
    const { id } = await createPaused(client, acme);
    const headers = { 'Idempotency-Key': randomUUID() };
    const json = [{ phone_number: '+15550100112' }];
    const first = await add(id, json, headers);
    const second = await add(id, json, headers);
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await list(id)).toHaveLength(numbers.length + 1);
  });

  test.each([[{ recipients: [] }], [{}], [{ phone_numbers: ['+15550100112'] }], ['text']])(
    '%j is 422',
    async (json) => {
      const { id } = await createPaused(client, acme);
      expect((await add(id, json)).status).toBe(422);
    },
  );
});

describe('withdrawing one recipient', () => {
  test('takes it off the list, and again changes nothing', async () => {
    const { id } = await createPaused(client, acme);
    const [first = ''] = numbers;
    const path = `DELETE /api/v1/campaigns/${id}/recipients/${await idOf(id, first)}`;
    for (const _ of [1, 2]) {
      const answer = await client.send(path, { key: manager });
      expect(answer.json).toMatchObject({
        data: { phone_number: first, state: 'withdrawn', next_attempt_at: null },
      });
    }
    const { rows } =
      await sql`select from outbox where campaign_id = ${id} and type = 'recipient.finished'`.execute(db);
    expect(rows).toHaveLength(1);
  });

  test('is 409 for a finished recipient, 404 for one of another campaign, 422 for an invalid id', async () => {
    const { id } = await createPaused(client, acme);
    const { id: other } = await createPaused(client, acme);
    const [first = '', second = ''] = numbers;
    await bring(db, id, first, { ...done, last_outcome: 'completed' });
    const remove = async (recipientId: string, query = '') =>
      (
        await client.send(`DELETE /api/v1/campaigns/${id}/recipients/${recipientId}${query}`, {
          key: manager,
        })
      ).status;
    expect(await remove(await idOf(id, first))).toBe(409);
    expect(await remove(await idOf(other, first))).toBe(404);
    expect(await remove('none')).toBe(404);
    expect(await remove(await idOf(id, second), '?hang_up=yes')).toBe(422);
  });
});

describe('retrying', () => {
  const retry = (id: string, outcomes: string[]) =>
    client.send(`POST /api/v1/campaigns/${id}/recipients/retry`, { key: manager, json: { outcomes } });

  test('gives one more round to those who were not reached, and opens a finished campaign again', async () => {
    const { id } = await createPaused(client, acme);
    const [busy = '', silent = '', reached = ''] = numbers;
    await bring(db, id, busy, { ...done, last_outcome: 'busy' });
    await bring(db, id, silent, { ...done, last_outcome: 'no_answer' });
    await bring(db, id, reached, { ...done, last_outcome: 'completed' });
    await setStatus(id, 'finished');
    expect((await retry(id, ['rejected'])).json).toMatchObject({ data: { retried: 0, status: 'finished' } });
    expect((await retry(id, ['busy'])).json).toMatchObject({ data: { retried: 1, status: 'paused' } });
    const states = (await list(id)).map((one) => [one.phone_number, [one.state, one.round]]);
    expect(Object.fromEntries(states)).toEqual({
      [busy]: ['retrying', 2],
      [silent]: ['unreached', 1],
      [reached]: ['reached', 1],
    });
    const read = await client.send(`GET /api/v1/campaigns/${id}`, { key: viewer });
    expect(read.json).toMatchObject({ data: { status: 'paused', phone_numbers: numbers } });
    // A change of the rules in between does not remove the round.
    await client.send(`PUT /api/v1/campaigns/${id}/config`, {
      key: manager,
      json: { call_back_attempts: 1 },
    });
    expect((await setStatus(id, 'running')).status).toBe(200);
    expect((await list(id, 'state=retrying')).map((one) => one.round)).toEqual([2]);
  });

  /** The second has not been called. */
  async function finishedWithBusy() {
    const { id } = await createPaused(client, acme);
    const [first = '', never = '', last = ''] = numbers;
    for (const phoneNumber of [first, last]) {
      await bring(db, id, phoneNumber, { attempts: 1, round_attempts: 1, last_outcome: 'busy' });
    }
    await setStatus(id, 'finished');
    const states = async () =>
      Object.fromEntries((await list(id)).map((one) => [one.phone_number, one.state]));
    return { id, first, never, last, states };
  }

  const reasonsOf = async (campaignId: string, phoneNumber: string) => {
    const { rows } = await sql<{ reason: string }>`
      select data ->> 'reason' as reason from outbox
      where type = 'recipient.finished' and recipient_id = ${await idOf(campaignId, phoneNumber)}`.execute(
      db,
    );
    return rows.map(({ reason }) => reason);
  };

  test.each([
    ['after', 'campaign_ended'],
    ['before', 'withdrawn'],
  ])(
    'does not bring back who was withdrawn after the end, %s the end withdrew them',
    async (when, reason) => {
      const { id, first, last, states } = await finishedWithBusy();
      if (when === 'after') await withdrawRecipients({ db }, id);
      const path = `DELETE /api/v1/campaigns/${id}/recipients/${await idOf(id, first)}`;
      expect((await client.send(path, { key: manager })).status).toBe(200);
      await withdrawRecipients({ db }, id);
      expect((await retry(id, ['busy'])).json).toMatchObject({ data: { retried: 1, status: 'paused' } });
      expect(await states()).toMatchObject({ [first]: 'withdrawn', [last]: 'retrying' });
      expect(await reasonsOf(id, first)).toEqual([reason]);
      const read = await client.send(`GET /api/v1/campaigns/${id}`, { key: viewer });
      expect(read.json).toMatchObject({ data: { phone_numbers: [last] } });
    },
  );

  test('withdraws who was never called if the end has not yet done it, and counts who was', async () => {
    const { id, first, never, last, states } = await finishedWithBusy();
    expect((await retry(id, ['busy'])).json).toMatchObject({ data: { retried: 2, status: 'paused' } });
    expect(await states()).toEqual({ [first]: 'retrying', [never]: 'withdrawn', [last]: 'retrying' });
    expect(await reasonsOf(id, never)).toEqual(['campaign_ended']);
  });

  test('includes those whom the end withdraws at the same moment', async () => {
    const { id } = await finishedWithBusy();
    // The worker read it before the end.
    const now = new Date('2027-03-01T13:59:00Z');
    const answer = await overlapping(
      db,
      (tx) => withdrawChunk(tx, { campaignId: id, now, limit: 1 }),
      () => retry(id, ['busy']),
    );
    expect(answer.json).toMatchObject({ data: { retried: 2 } });
  });

  test('is 409 for a canceled campaign, 422 without an outcome to retry', async () => {
    const { id } = await createPaused(client, acme);
    expect((await retry(id, ['completed'])).status).toBe(422);
    expect((await retry(id, [])).status).toBe(422);
    await setStatus(id, 'canceled');
    expect((await retry(id, ['busy'])).status).toBe(409);
  });
});

describe('deleting a campaign', () => {
  test('takes it from every list and read; its calls stay, and the rest of its recipients is erased', async () => {
    const { id } = await createPaused(client, acme);
    const remove = () => client.send(`DELETE /api/v1/campaigns/${id}`, { key: manager });
    const refused = await remove();
    expect(refused.status).toBe(409);
    expect(refused.json).toMatchObject({ code: 'campaign_not_over' });
    await setStatus(id, 'canceled');
    expect((await remove()).json).toMatchObject({ message: 'Data deleted correctly', data: { id } });
    for (const path of ['', '?fields=summary', '/progress', '/config', '/recipients', '/calls']) {
      expect((await client.send(`GET /api/v1/campaigns/${id}${path}`, { key: viewer })).status).toBe(404);
    }
    expect((await remove()).status).toBe(404);
    expect((await setStatus(id, 'canceled')).status).toBe(404);
    const all = await client.send('GET /api/v1/campaigns?size=100', { key: viewer });
    expect(JSON.stringify(all.json)).not.toContain(id);
    await withdrawRecipients({ db }, id);
    while ((await eraseDeletedCampaign(db, 2)) !== null);
    const { rows } = await sql`select from campaign_recipients where campaign_id = ${id}`.execute(db);
    expect(rows).toHaveLength(0);
  });

  test('forgets at once what it was given about its people', async () => {
    const prompt_params = { name: 'Ada' };
    const recipients = { [numbers[0] ?? '']: { prompt_params } };
    const { id } = await createPaused(client, acme, {
      status: 'draft',
      additional_params: { prompt_params, recipients, note: 'Ada' },
    });
    const stored = () =>
      db
        .selectFrom('campaigns')
        .select(['additional_params', 'prompt_params', 'recipient_params'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    expect(await stored()).toMatchObject({ prompt_params, recipient_params: expect.any(Buffer) as unknown });
    await client.send(`DELETE /api/v1/campaigns/${id}`, { key: manager });
    expect(await stored()).toEqual({ additional_params: {}, prompt_params: {}, recipient_params: null });
  });
});

test('hang_up goes with the end of a campaign only', async () => {
  const { id } = await createPaused(client, acme);
  const put = (json: object) => client.send(`PUT /api/v1/campaigns/${id}/status`, { key: manager, json });
  expect((await put({ status: 'running', hang_up: true })).status).toBe(422);
  expect((await put({ status: 'canceled', hang_up: true })).status).toBe(200);
});
