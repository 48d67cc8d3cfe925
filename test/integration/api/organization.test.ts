import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';

const { client, db, organization } = await apiWorld();

describe('GET and PUT /organization', () => {
  test('an admin changes name, time zone and retention; the rest stays', async () => {
    const acme = await organization();
    const put = (json: unknown, key = acme.keys.admin) =>
      client.send('PUT /api/v1/organization', { key, json });
    const answer = await put({
      name: 'Acme Inc.',
      timezone: 'Europe/Berlin',
      retention: { transcripts_days: 90 },
    });
    expect(answer.json).toMatchObject({
      message: 'Data updated correctly',
      data: {
        id: acme.id,
        name: 'Acme Inc.',
        timezone: 'Europe/Berlin',
        limits: { max_lines: null },
        retention: {
          transcripts_days: 90,
          recordings_days: null,
          prompt_values_days: null,
          calls_days: null,
        },
      },
    });
    await put({ retention: { calls_days: 365 } });
    const read = await client.send('GET /api/v1/organization', { key: acme.keys.viewer });
    expect(read.json).toMatchObject({
      data: { name: 'Acme Inc.', retention: { transcripts_days: 90, calls_days: 365 } },
    });
    expect((await put({ name: 'x' }, acme.keys.manager)).status).toBe(403);
  });

  test.each([
    [{ timezone: 'Mars/Olympus' }, ['body', 'timezone']],
    [{ retention: { calls_days: 0 } }, ['body', 'retention', 'calls_days']],
    [{ retention: { faxes_days: 1 } }, ['body', 'retention', 'faxes_days']],
    [{ limits: { max_lines: 1_000 } }, ['body', 'limits']],
    [{ name: '' }, ['body', 'name']],
  ])('%j is 422', async (json, loc) => {
    const acme = await organization();
    const answer = await client.send('PUT /api/v1/organization', { key: acme.keys.admin, json });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc }] });
  });
});

describe('GET /usage', () => {
  test('sums up calls by day, campaign and agent, including deleted ones', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    const ended = [
      { outcome: 'completed', duration_seconds: 90, cost: '0.15', at: '2026-03-01T10:00:00Z' },
      { outcome: 'busy', duration_seconds: null, cost: '0', at: '2026-03-01T23:30:00Z' },
      { outcome: 'completed', duration_seconds: 30, cost: '0.05', at: '2026-03-02T10:00:00Z' },
    ] as const;
    for (const { at, ...call } of ended) {
      await acme.call({ agent_id: agentId, created_at: new Date(at), ...call });
    }
    await db
      .insertInto('usage_of_deleted_calls')
      .values({
        organization_id: acme.id,
        hour: new Date('2026-03-01T08:00:00Z'),
        campaign_id: null,
        agent_id: agentId,
        outcome: 'completed',
        calls: '2',
        seconds: '60',
        cost: '1',
      })
      .execute();
    const read = async (query: string) => {
      const answer = await client.send(
        `GET /api/v1/usage?from=2026-02-01T00:00:00Z&to=2026-04-01T00:00:00Z${query}`,
        {
          key: acme.keys.viewer,
        },
      );
      return z.object({ data: z.object({ items: z.unknown() }) }).parse(answer.json).data.items;
    };
    expect(await read('')).toEqual([
      { day: '2026-03-02', calls: 1, minutes: 0.5, cost: 0.05, outcomes: { completed: 1 } },
      { day: '2026-03-01', calls: 4, minutes: 2.5, cost: 1.15, outcomes: { completed: 3, busy: 1 } },
    ]);
    const all = { calls: 5, minutes: 3, cost: 1.2, outcomes: { completed: 4, busy: 1 } };
    expect(await read('&by=agent')).toEqual([{ agent_id: agentId, ...all }]);
    expect(await read('&by=campaign')).toEqual([{ campaign_id: null, ...all }]);
    await client.send('PUT /api/v1/organization', {
      key: acme.keys.admin,
      json: { timezone: 'Europe/Berlin' },
    });
    expect(await read('')).toMatchObject([
      { day: '2026-03-02', calls: 2 },
      { day: '2026-03-01', calls: 3 },
    ]);
  });

  test.each([
    ['by=week', 'by'],
    ['from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
    ['to=never', 'to'],
    [`cursor=${Buffer.from(JSON.stringify(['\u0000'])).toString('base64url')}`, 'cursor'],
  ])('%s is 422', async (query, field) => {
    const acme = await organization();
    const answer = await client.send(`GET /api/v1/usage?${query}`, { key: acme.keys.viewer });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['query', field] }] });
  });
});
