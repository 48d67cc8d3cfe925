import { randomUUID } from 'node:crypto';
import { campaignProgress, recipient } from '@outdial/contracts';
import { saveWorkerHeartbeat } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from '../api/api-world.ts';
import { bring, createPaused, done, numbers, setClock } from './campaign-requests.ts';

const { client, db, organization } = await apiWorld();
const acme = await organization();
const { viewer, manager } = acme.keys;
await setClock(db);

const progressOf = z.object({ data: campaignProgress });
const listOf = z.object({
  data: z.object({ items: z.array(recipient), next_cursor: z.string().nullable() }),
});

async function progress(campaignId: string) {
  const answer = await client.send(`GET /api/v1/campaigns/${campaignId}/progress`, { key: viewer });
  expect(answer.status).toBe(200);
  return progressOf.parse(answer.json).data;
}

async function recipients(campaignId: string, query = '') {
  const answer = await client.send(`GET /api/v1/campaigns/${campaignId}/recipients?${query}`, {
    key: viewer,
  });
  expect(answer.status).toBe(200);
  return listOf.parse(answer.json).data;
}

const inCall = { state: 'dialing', attempts: 1, call_id: randomUUID() };

async function mixed() {
  const all = Array.from({ length: 9 }, (_, at) => `+1555010020${at}`);
  const { id } = await createPaused(client, acme, { phone_numbers: all });
  const [reached = '', busy = '', gaveUp = '', calling = '', never = '', gone = ''] = all;
  await bring(db, id, reached, { ...done, last_outcome: 'completed' });
  await bring(db, id, busy, { attempts: 1, round_attempts: 1, last_outcome: 'busy' });
  await bring(db, id, gaveUp, { ...done, last_outcome: 'no_answer' });
  await bring(db, id, calling, { ...inCall, call_id: randomUUID() });
  await bring(db, id, never, { state: 'suppressed' });
  await bring(db, id, gone, { state: 'withdrawn', withdrawn_at: new Date(), next_attempt_at: null });
  return { id, all };
}

describe('progress', () => {
  test('counts recipients by state and outcome; the states add up to the total', async () => {
    const { id } = await mixed();
    const told = await progress(id);
    expect(told).toMatchObject({
      status: 'paused',
      recipients: {
        total: 9,
        waiting: 3,
        retrying: 1,
        in_call: 1,
        reached: 1,
        unreached: 1,
        suppressed: 1,
        withdrawn: 1,
      },
      outcomes: { completed: 1, busy: 1, no_answer: 1 },
      dials: 4,
      lines_in_use: 0,
      max_concurrent_calls: 10,
      calls_last_minute: 0,
      waiting_for: null,
      waiting_detail: null,
      estimated_end_at: null,
    });
  });

  test('follows numbers that an update takes off the list and brings back', async () => {
    const { id } = await createPaused(client, acme);
    const put = (phone_numbers: string[]) =>
      client.send(`PUT /api/v1/campaigns/${id}`, { key: manager, json: { phone_numbers } });
    await put(numbers.slice(1));
    expect((await progress(id)).recipients).toMatchObject({ total: 3, waiting: 2, withdrawn: 1 });
    await put([...numbers, '+15550100300']);
    expect((await progress(id)).recipients).toMatchObject({ total: 4, waiting: 4, withdrawn: 0 });
  });
});

describe('summaries', () => {
  test('omit large fields, and have the progress', async () => {
    const { id } = await mixed();
    const one = await client.send(`GET /api/v1/campaigns/${id}?fields=summary`, { key: viewer });
    expect(one.json).toMatchObject({
      data: { id, name: 'Spring' },
      meta: { progress: { status: 'paused' } },
    });
    expect(Object.keys(z.object({ data: z.looseObject({}) }).parse(one.json).data)).not.toContain(
      'phone_numbers',
    );
    const all = await client.send('GET /api/v1/campaigns?fields=summary&size=1', { key: viewer });
    expect(all.json).toMatchObject({
      data: { items: [{ id }], size: 1 },
      meta: { progress: { [id]: { recipients: { total: 9 } } } },
    });
    expect(JSON.stringify(all.json)).not.toContain('phone_numbers');
  });

  test('are the only other form: anything else is 422', async () => {
    const answer = await client.send('GET /api/v1/campaigns?fields=all', { key: viewer });
    expect(answer.status).toBe(422);
  });
});

describe('the config', () => {
  test('has its defaults until it is set, and then the values of PUT', async () => {
    const { id } = await createPaused(client, acme);
    const path = `/api/v1/campaigns/${id}/config`;
    const read = async () => (await client.send(`GET ${path}`, { key: viewer })).json;
    expect(await read()).toMatchObject({
      data: { campaign_id: id, call_back_attempts: 0, max_concurrent_calls: 10 },
    });
    const put = await client.send(`PUT ${path}`, { key: manager, json: { call_back_attempts: 2 } });
    expect(await read()).toMatchObject({ data: z.object({ data: z.unknown() }).parse(put.json).data });
  });
});

describe('recipients', () => {
  test('are listed newest first, page by page, and the list is stable while others join', async () => {
    const { id, all } = await mixed();
    const seen: string[] = [];
    let cursor = '';
    for (;;) {
      const page = await recipients(id, `limit=4${cursor}`);
      seen.push(...page.items.map((item) => item.phone_number));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
      await sql`insert into campaign_recipients (organization_id, campaign_id, position, phone_number, calling_key, next_attempt_at)
        values (${acme.id}, ${id}, 100 + ${seen.length}, ${`+155501009${seen.length}0`}, 'UTC', now())`.execute(
        db,
      );
    }
    expect(seen.toSorted()).toEqual(all);
  });

  test.each([
    ['state=waiting', [6, 7, 8]],
    ['state=retrying', [1]],
    ['state=in_call', [3]],
    ['state=reached', [0]],
    ['state=unreached', [2]],
    ['state=suppressed', [4]],
    ['state=withdrawn', [5]],
    ['outcome=busy', [1]],
    ['outcome=completed', [0]],
    ['outcome=rejected', []],
    ['state=unreached&outcome=no_answer', [2]],
    ['state=reached&outcome=busy', []],
    ['phone_number=%2B15550100203', [3]],
    ['phone_number=+15550100203', [3]],
    ['phone_number=%2B15550100203&state=waiting', []],
  ])('?%s filters as it says', async (query, places) => {
    const { id, all } = await mixed();
    const { items } = await recipients(id, query);
    expect(items.map((item) => all.indexOf(item.phone_number)).toSorted((a, b) => a - b)).toEqual(places);
  });

  test('have the fields that callers need to follow them', async () => {
    const { id, all } = await mixed();
    const { items } = await recipients(id, 'state=retrying');
    expect(items[0]).toMatchObject({
      phone_number: all[1],
      state: 'retrying',
      attempts: 1,
      round: 1,
      last_outcome: 'busy',
      last_call_id: null,
      waiting_for: 'campaign_not_running',
      timezone: 'UTC',
      prompt_params: null,
    });
  });

  test.each([
    'state=asleep',
    'outcome=great',
    'phone_number=555',
    'limit=0',
    'limit=1001',
    'cursor=x',
    'stat=waiting',
  ])('?%s is 422', async (query) => {
    const { id } = await createPaused(client, acme);
    const answer = await client.send(`GET /api/v1/campaigns/${id}/recipients?${query}`, { key: viewer });
    expect(answer.status).toBe(422);
  });
});

describe('the reason why a running campaign waits', () => {
  async function running(fields: object = {}) {
    const { id } = await createPaused(client, acme, fields);
    await client.send(`PUT /api/v1/campaigns/${id}/status`, { key: manager, json: { status: 'running' } });
    return id;
  }

  test('is told for each recipient as well', async () => {
    const id = await running({ start_date: '2099-03-02', start_time: '09:00', end_time: '17:00' });
    const { items } = await recipients(id);
    expect(items[0]).toMatchObject({ waiting_for: 'window', next_attempt_at: '2099-03-02T09:00:00.000Z' });
  });

  test('is no_worker if there is no heartbeat and it has been due for a while', async () => {
    const id = await running();
    expect((await progress(id)).waiting_for).toBeNull();
    await sql`update campaign_runtime set next_dial_at = engine_now() - interval '1 minute' where campaign_id = ${id}`.execute(
      db,
    );
    const { waiting_for, waiting_detail } = await progress(id);
    expect(waiting_for).toBe('no_worker');
    expect(waiting_detail?.message).toContain('worker');
    expect(waiting_detail?.remedy).toContain('worker');
    const read = await client.send(`GET /api/v1/campaigns/${id}?fields=summary`, { key: viewer });
    expect(read.json).toMatchObject({
      meta: { waiting_for: 'no_worker', progress: { waiting_for: 'no_worker' } },
    });
    await saveWorkerHeartbeat(db, randomUUID());
    const stuck = await progress(id);
    expect(stuck.waiting_for).toBe('error');
    expect(stuck.waiting_detail?.message).toContain('the queue or the scheduler does not work');
    expect(stuck.waiting_detail?.remedy).toContain('/readyz');
  });

  test.each([
    ['error', 'error'],
    ['quota', 'error'],
    ['person_cap', 'error'],
    ['caller_id', 'error'],
    ['organization_line', 'organization_line'],
  ])(
    'is no longer %s once its time has passed, but no_worker, or %s if there is one',
    async (reason, then) => {
      const id = await running();
      await sql`update campaign_runtime set waiting_for = ${reason}, next_dial_at = engine_now() + interval '1 minute'
      where campaign_id = ${id}`.execute(db);
      await sql`delete from workers`.execute(db);
      expect((await progress(id)).waiting_for).toBe(reason);
      await sql`update campaign_runtime set next_dial_at = engine_now() - interval '1 minute' where campaign_id = ${id}`.execute(
        db,
      );
      expect((await progress(id)).waiting_for).toBe('no_worker');
      await saveWorkerHeartbeat(db, randomUUID());
      expect((await progress(id)).waiting_for).toBe(then);
    },
  );

  test('stays calls_per_second after its time while others use the pace of its provider', async () => {
    const id = await running();
    await sql`update campaign_runtime set waiting_for = 'calls_per_second', next_dial_at = engine_now() - interval '1 minute'
      where campaign_id = ${id}`.execute(db);
    await saveWorkerHeartbeat(db, randomUUID());
    const usedAgo = (seconds: number) =>
      sql`update providers set pace = jsonb_build_object('gates', '[]'::jsonb, 'nextAtMs',
        extract(epoch from engine_now()) * 1000 - ${seconds * 1_000}::int)`.execute(db);
    await usedAgo(1);
    expect((await progress(id)).waiting_for).toBe('calls_per_second');
    await usedAgo(60);
    expect((await progress(id)).waiting_for).toBe('error');
  });
});
