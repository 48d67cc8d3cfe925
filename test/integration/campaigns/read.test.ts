import { connect as connectSocket } from 'node:net';
import { once } from 'node:events';
import { campaignPage } from '@outdial/contracts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isLongRun } from '../../support/full-run.ts';
import { apiWorld } from '../api/api-world.ts';
import { campaignOf, createPaused, numbers } from './campaign-requests.ts';

const { client, organization } = await apiWorld({ config: { jsonBodyLimitBytes: 64 * 1024 * 1024 } });
const pageAnswer = z.object({ data: campaignPage });

describe('GET /campaigns/{campaign_id}', () => {
  test('answers the campaign as it was created', async () => {
    const acme = await organization();
    const created = await createPaused(client, acme, { additional_params: { crm: { id: 7 } } });
    const answer = await client.send(`GET /api/v1/campaigns/${created.id}`, { key: acme.keys.viewer });
    expect(answer.json).toEqual({ message: 'Data got correctly', meta: {}, data: created });
  });

  // Read through a cursor, in many chunks, in both cases.
  const length = isLongRun ? 100_000 : 30_000;
  test(`${length} numbers come in their order, and callers who leave in the middle free their connections`, async () => {
    const acme = await organization();
    const many = Array.from({ length }, (_, index) => `+1666${String(1_000_000 + index)}`).toReversed();
    const { id, phone_numbers: answered } = await createPaused(client, acme, { phone_numbers: many });
    expect(answered).toEqual(many);
    for (const path of [`/api/v1/campaigns/${id}`, '/api/v1/campaigns']) {
      await leaveInTheMiddle(client.base, path, acme.keys.viewer);
    }
    const read = campaignOf(await client.send(`GET /api/v1/campaigns/${id}`, { key: acme.keys.viewer }));
    expect(read.phone_numbers).toEqual(many);
    const list = await client.send('GET /api/v1/campaigns', { key: acme.keys.viewer });
    expect(pageAnswer.parse(list.json).data.items).toHaveLength(1);
  }, 90_000);
});

describe('GET /campaigns', () => {
  test('pages the organization’s campaigns, newest first', async () => {
    const acme = await organization();
    await createPaused(client, await organization());
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.unshift((await createPaused(client, acme)).id);
    const page = async (query: string) => {
      const answer = await client.send(`GET /api/v1/campaigns${query}`, { key: acme.keys.viewer });
      const { items, ...numbering } = pageAnswer.parse(answer.json).data;
      return { ids: items.map((item) => item.id), ...numbering };
    };
    const last = { page: 1, size: 50, total: 5, pages: 1, previous_page: null, next_page: null };
    expect(await page('')).toEqual({ ids, ...last });
    expect(await page('/?page=2&size=2')).toEqual({
      ids: ids.slice(2, 4),
      page: 2,
      size: 2,
      total: 5,
      pages: 3,
      previous_page: 1,
      next_page: 3,
    });
    expect(await page('?page=9&size=2')).toEqual({
      ids: [],
      page: 9,
      size: 2,
      total: 5,
      pages: 3,
      previous_page: 3,
      next_page: null,
    });
  });

  // A page with up to five thousand numbers is read in one query, a larger one through a cursor.
  test.each([[[1, 2_500, 2_500]], [[4_999, 1, 1]], [[3_000, 3_000, 12_000, 1]]])(
    'campaigns of %j numbers have each their own, in their order',
    async (lengths) => {
      const acme = await organization();
      const lists = lengths.map((length, campaignAt) =>
        Array.from({ length }, (_, at) => `+1888${campaignAt}${String(100_000 + at)}`).toReversed(),
      );
      for (const list of lists) await createPaused(client, acme, { phone_numbers: list });
      const answer = await client.send('GET /api/v1/campaigns', { key: acme.keys.viewer });
      const { items } = pageAnswer.parse(answer.json).data;
      expect(items.map((item) => item.phone_numbers)).toEqual(lists.toReversed());
    },
  );

  test('has the next dial of each running campaign', async () => {
    const acme = await organization();
    await createPaused(client, acme);
    const running = await createPaused(client, acme, { status: 'running', start_date: '2030-01-07' });
    const answer = await client.send('GET /api/v1/campaigns', { key: acme.keys.viewer });
    expect(answer.json).toMatchObject({
      meta: { campaigns: { [running.id]: { next_dial_at: '2030-01-07T00:00:00.000Z' } } },
      data: { items: [{ id: running.id, phone_numbers: numbers }, { status: 'paused' }] },
    });
  });

  test.each(['page=0', 'size=0', 'size=101', 'page=x', 'size=1.5'])('%s is 422', async (query) => {
    const acme = await organization();
    const answer = await client.send(`GET /api/v1/campaigns?${query}`, { key: acme.keys.viewer });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['query', query.split('=')[0]] }] });
  });
});

/** More callers than the pool has connections: if each leaked one, the next request would get none. */
async function leaveInTheMiddle(base: string, path: string, key: string): Promise<void> {
  const { hostname, port } = new URL(base);
  for (let caller = 0; caller < 12; caller++) {
    const socket = connectSocket(Number(port), hostname);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
  }
}
