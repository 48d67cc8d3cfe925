import { randomUUID } from 'node:crypto';
import { campaignConfig } from '@outdial/contracts';
import { withdrawRecipients } from '@outdial/engine';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from '../api/api-world.ts';
import { someText } from '../api/matchers.ts';
import { campaignOf, createPaused, numbers } from './campaign-requests.ts';

const { client, db, organization } = await apiWorld();
const coded = (status: number, code: string) => [status, { detail: someText, code }];
const configAnswer = z.object({ message: z.string(), data: campaignConfig });

async function world(fields: object = {}) {
  const acme = await organization();
  const campaign = await createPaused(client, acme, { start_date: '2030-01-07', ...fields });
  const put = async (what: 'status' | 'config', json: object, key: string | undefined = acme.keys.manager) =>
    client.send(`PUT /api/v1/campaigns/${campaign.id}/${what}`, { key, json });
  return { acme, campaign, put };
}

describe('PUT /campaigns/{campaign_id}/status', () => {
  test('follows the table of transitions, and keeps the numbers of a canceled campaign', async () => {
    const { put, campaign } = await world();
    for (const status of ['draft', 'running', 'running', 'paused', 'running', 'canceled', 'canceled']) {
      const answer = await put('status', { status });
      expect(answer.json).toMatchObject({ message: 'Data updated correctly' });
      expect(campaignOf(answer)).toEqual({ ...campaign, status, phone_numbers: numbers });
    }
    for (const status of ['running', 'paused', 'draft', 'finished']) {
      const answer = await put('status', { status });
      expect([answer.status, answer.json]).toEqual(coded(409, 'campaign_status'));
    }
  });

  test('recipients not dialed at the end stay on the list, removed ones do not', async () => {
    const { acme, campaign, put } = await world();
    await client.send(`PUT /api/v1/campaigns/${campaign.id}`, {
      key: acme.keys.manager,
      json: { phone_numbers: numbers.slice(1) },
    });
    await put('status', { status: 'canceled' });
    expect(await withdrawRecipients({ db }, campaign.id)).toEqual({ withdrawn: 2, isDone: true });
    const read = await client.send(`GET /api/v1/campaigns/${campaign.id}`, { key: acme.keys.viewer });
    expect(campaignOf(read).phone_numbers).toEqual(numbers.slice(1));
  });

  test('a running one says when it dials next', async () => {
    const { put } = await world();
    expect((await put('status', { status: 'running' })).json).toMatchObject({
      meta: { next_dial_at: '2030-01-07T00:00:00.000Z' },
    });
  });

  test('a refused change names the statuses that are possible instead', async () => {
    const { acme, campaign, put } = await world();
    const said = async (status: string) => (await put('status', { status })).json;
    await put('status', { status: 'draft' });
    expect(await said('finished')).toEqual({
      code: 'campaign_status',
      detail: 'A draft campaign cannot become finished: it can become paused, running or canceled',
    });
    await put('status', { status: 'canceled' });
    expect(await said('running')).toEqual({
      code: 'campaign_status',
      detail: 'A canceled campaign cannot become running: this status is final; create another campaign',
    });
    expect((await put('config', { call_back_attempts: 1 })).json).toEqual({
      code: 'campaign_status',
      detail:
        'The config of a canceled campaign cannot be changed: the campaign should be draft, paused or running',
    });
    const recipients = await client.send(`POST /api/v1/campaigns/${campaign.id}/recipients`, {
      key: acme.keys.manager,
      json: [{ phone_number: '+15551230042' }],
    });
    expect(recipients.json).toMatchObject({
      code: 'campaign_over',
      detail: expect.stringContaining('draft, paused or running') as unknown,
    });
  });

  test('409 and 422', async () => {
    const { put } = await world();
    for (const [json, type] of [
      [{}, 'missing'],
      [{ status: 'over' }, 'enum'],
    ] as const) {
      const answer = await put('status', json);
      expect([answer.status, answer.json]).toEqual([
        422,
        { detail: [{ loc: ['body', 'status'], msg: someText, type }], code: 'validation' },
      ]);
    }
    const past = await world({ start_date: '2020-01-01', end_date: '2020-01-02' });
    const over = await past.put('status', { status: 'running' });
    expect([over.status, over.json]).toEqual(coded(409, 'campaign_over'));
  });
});

describe('PUT /campaigns/{campaign_id}/config', () => {
  const defaults = {
    call_on_weekend: false,
    queue_again: false,
    call_back_attempts: 0,
    retry_delay_seconds: 900,
    retry_delays_seconds: null,
    retry_on: ['no_answer', 'busy', 'failed', 'voicemail'],
    max_concurrent_calls: 10,
    calls_per_second: null,
    max_attempts_per_recipient: null,
    priority: 0,
    purpose: null,
    require_consent: false,
    consent_bases: null,
    scrub_lists: null,
    reassigned_query_days: null,
  };

  test('creates it with defaults, then changes the named fields', async () => {
    const { campaign, put } = await world();
    const first = configAnswer.parse(
      (await put('config', { queue_again: true, campaign_id: campaign.id })).json,
    );
    expect(first).toEqual({
      message: 'Data created correctly',
      data: { ...defaults, queue_again: true, id: someText, created_at: someText, campaign_id: campaign.id },
    });
    const limits = {
      calls_per_second: 0.5,
      max_attempts_per_recipient: 3,
      call_back_attempts: 10,
      retry_on: ['unknown'],
      retry_delays_seconds: { unknown: [60, 3_600] },
    };
    const repeated = { ...limits, retry_on: ['unknown', 'unknown'] };
    const second = configAnswer.parse((await put('config', repeated)).json);
    expect(second).toEqual({ message: 'Data updated correctly', data: { ...first.data, ...limits } });
    const third = configAnswer.parse(
      (await put('config', { calls_per_second: null, retry_delays_seconds: null, queue_again: null })).json,
    );
    expect(third.data).toEqual({ ...second.data, calls_per_second: null, retry_delays_seconds: null });
  });

  test.each([
    [{ call_back_attempts: 11 }, 'call_back_attempts', 'less_than_equal'],
    [{ call_back_attempts: 1.5 }, 'call_back_attempts', 'int_type'],
    [{ call_back_attempts: '1' }, 'call_back_attempts', 'int_type'],
    [{ calls_per_second: '1' }, 'calls_per_second', 'float_type'],
    [{ call_back_attempts: -1 }, 'call_back_attempts', 'greater_than_equal'],
    [{ retry_delays_seconds: [] }, 'retry_delays_seconds', 'too_short'],
    [{ retry_delays_seconds: Array(11).fill(60) }, 'retry_delays_seconds', 'value_error'],
    [{ retry_delays_seconds: [60, -1] }, 'retry_delays_seconds.1', 'greater_than_equal'],
    [{ retry_delays_seconds: { completed: [60] } }, 'retry_delays_seconds.completed', 'extra_forbidden'],
    [{ retry_delays_seconds: 60 }, 'retry_delays_seconds', 'value_error'],
    [{ call_on_weekend: 'yes' }, 'call_on_weekend', 'bool_type'],
    [{ max_concurrent_calls: 0 }, 'max_concurrent_calls', 'greater_than_equal'],
    [{ max_attempts_per_recipient: 0 }, 'max_attempts_per_recipient', 'greater_than_equal'],
    [{ retry_delay_seconds: -1 }, 'retry_delay_seconds', 'greater_than_equal'],
    [{ calls_per_second: 0 }, 'calls_per_second', 'greater_than'],
    [{ calls_per_second: 5e-324 }, 'calls_per_second', 'greater_than_equal'],
    [{ campaign_id: randomUUID() }, 'campaign_id', 'value_error'],
    [{ campaign_id: 'x' }, 'campaign_id', 'uuid_parsing'],
  ])('%j is 422', async (json, field, type) => {
    const { put } = await world();
    const answer = await put('config', json);
    const loc = ['body', ...field.split('.').map((step) => (step === '1' ? 1 : step))];
    expect([answer.status, answer.json]).toEqual([
      422,
      { detail: [{ loc, msg: someText, type }], code: 'validation' },
    ]);
  });
});
