import { randomUUID } from 'node:crypto';
import { createKnowledgeTokens } from '@outdial/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Caller, knowledgeTokenSecret, openWorld } from './world.ts';

const world = await openWorld();

const texts = {
  refunds: `Refunds\n\n${'Customers may return merchandise within thirty days of delivery. '.repeat(12)}\f
Restocking\n\nA restocking fee of ten percent applies to opened <electronics> & cables. ${'Nothing else is charged for it. '.repeat(12)}`,
  german:
    'Rückgabe\n\nKunden können bestellte Bücher innerhalb von dreißig Tagen zurückgeben und erhalten den Kaufpreis erstattet.',
  chinese: '退货政策\n\n客户可以在收到商品后三十天内申请退货，并获得全额退款。',
  thai: 'นโยบายการคืนสินค้า\n\nลูกค้าสามารถคืนสินค้าได้ภายในสามสิบวันหลังจากได้รับสินค้า',
};

let caller: Caller;
let base: string;
const items: Record<string, unknown> = {};

beforeAll(async () => {
  caller = await world.newCaller();
  base = await caller.newBase();
  for (const [name, text] of Object.entries(texts)) {
    const { data } = await caller.upload(base, text, { name });
    items[name] = data['id'];
    await caller.settled(base, data['id']);
  }
});

interface Passage {
  item_id: string;
  item_name: string;
  page: number;
  text: string;
  highlight: string;
}

async function ask(question: string, limit = 5): Promise<Passage[]> {
  const { status, body } = await caller.get(
    `/${base}/search?q=${encodeURIComponent(question)}&limit=${limit}`,
  );
  expect(status).toBe(200);
  // The type is the contract's. The api's tests validate it against the OpenAPI document.
  return body['data'] as Passage[];
}

describe('search', () => {
  test.each([
    ['returning merchandise', 'refunds', 'return'],
    ['How many days do I have to return something I do not like?', 'refunds', 'return'],
    ['restocking fees', 'refunds', 'Restocking'],
    ['Buch zurückgeben', 'german', 'zurückgeben'],
    ['Kunde', 'german', 'Kunden'],
    ['退货', 'chinese', '退货'],
    ['全额退款吗', 'chinese', '退款'],
    ['货', 'chinese', '货'],
    ['คืนสินค้า', 'thai', 'คืนสินค้า'],
  ])('%s', async (question, name, marked) => {
    const [best] = await ask(question);
    expect(best).toMatchObject({ item_id: items[name], item_name: name });
    expect(best?.highlight).toContain(`<mark>${marked}</mark>`);
  });

  test('names the page, and returns plain text', async () => {
    const [best] = await ask('electronics cables');
    expect(best).toMatchObject({ item_name: 'refunds', page: 2 });
    expect(best?.highlight).toContain('opened &lt;electronics&gt; &amp; <mark>cables</mark>');
    expect(best?.text).toContain('opened <electronics> & cables');
  });

  test('phrases and exclusions', async () => {
    expect(await ask('"thirty days"')).not.toEqual([]);
    expect(await ask('"days thirty"')).toEqual([]);
    expect(await ask('delivery -merchandise')).toEqual([]);
    expect(await ask('nonexistentword')).toEqual([]);
    expect(await ask('?! ...')).toEqual([]);
    expect(await ask('\'"&|!():* \\')).toEqual([]);
  });

  test('returns at most the requested number', async () => {
    expect(await ask('delivery', 1)).toHaveLength(1);
  });

  test('is of one base and of one organization', async () => {
    const other = await caller.newBase();
    expect((await caller.get(`/${other}/search?q=return`)).body).toEqual({ data: [] });
    const stranger = await world.newCaller('admin');
    expect((await stranger.get(`/${base}/search?q=return`)).status).toBe(404);
  });
});

describe('the token of a call', () => {
  const tokens = createKnowledgeTokens(knowledgeTokenSecret);
  const mint = (knowledgeBaseIds: string[], lifetimeSeconds = 3_600) =>
    tokens.mint(
      { organizationId: caller.organizationId, callId: randomUUID(), knowledgeBaseIds },
      { now: new Date(), lifetimeSeconds },
    );
  const get = async (path: string, token: string) =>
    (await fetch(`${world.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;

  test('searches the bases of the call, and does nothing else', async () => {
    const token = await mint([base]);
    const other = await caller.newBase();
    expect(await get(`/${base}/search?q=return`, token)).toBe(200);
    expect(await get(`/${other}/search?q=return`, token)).toBe(404);
    for (const path of ['/', `/${base}`, `/${base}/items`, `/${base}/items/${String(items['german'])}`]) {
      expect(await get(path, token)).toBe(401);
    }
  });

  test('ends', async () => {
    expect(await get(`/${base}/search?q=return`, await mint([base], -1))).toBe(401);
  });
});
