import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';
import { itemForm } from './call-every-operation.ts';
import type { ApiRequest } from './contract-client.ts';

const { client, organization } = await apiWorld();
const acme = await organization();
const key = acme.keys.admin;
const make = (label: string, request: ApiRequest) => client.create(label, { key, ...request });

const agentId = await acme.agent();
const phone = '+15551230000';
const campaignId = await make('POST /api/v1/campaigns', {
  json: { name: 'Spring', agent_id: agentId, phone_numbers: [phone], status: 'paused' },
});
const callId = await make(`POST /api/v1/agents/${agentId}/call`, { json: { to_phone: phone } });
const baseId = await make('POST /api/v1/knowledge-base', { json: { name: 'Facts' } });
const itemId = await make(`POST /api/v1/knowledge-base/${baseId}/items`, { body: itemForm() });
const endpointId = await make('POST /api/v1/webhook-endpoints', { json: { url: 'https://example.com' } });
const callerId = await make('POST /api/v1/caller-ids', { json: { phone_number: '+12125550123' } });

interface Resource {
  read: string;
  /** A body that changes something, another for each number. */
  change: (n: number) => object;
}

const campaign = `/api/v1/campaigns/${campaignId}`;
const resources: Record<string, Resource> = {
  'put /api/v1/agents/{agent_id}': {
    read: `/api/v1/agents/${agentId}`,
    change: (n) => ({ name: `Bert ${n}` }),
  },
  'put /api/v1/calls/{call_id}': { read: `/api/v1/calls/${callId}`, change: (n) => ({ notes: `Call ${n}` }) },
  'put /api/v1/caller-ids/{caller_id}': {
    read: `/api/v1/caller-ids/${callerId}`,
    change: (n) => ({ calls_per_day: 50 + n }),
  },
  'put /api/v1/campaigns/{campaign_id}': { read: campaign, change: (n) => ({ name: `Spring ${n}` }) },
  'put /api/v1/campaigns/{campaign_id}/status': {
    read: campaign,
    change: (n) => ({ status: n % 2 === 0 ? 'paused' : 'draft' }),
  },
  'put /api/v1/campaigns/{campaign_id}/config': {
    read: `${campaign}/config`,
    change: (n) => ({ retry_delay_seconds: 1_000 + n }),
  },
  'put /api/v1/knowledge-base/{kb_id}': {
    read: `/api/v1/knowledge-base/${baseId}`,
    change: (n) => ({ name: `Hours ${n}` }),
  },
  'put /api/v1/knowledge-base/{kb_id}/items/{item_id}': {
    read: `/api/v1/knowledge-base/${baseId}/items/${itemId}`,
    change: (n) => ({ notes: `Of shop ${n}` }),
  },
  'put /api/v1/organization': { read: '/api/v1/organization', change: (n) => ({ name: `Acme ${n}` }) },
  'put /api/v1/users/{user_id}': {
    read: `/api/v1/users/${acme.userId}`,
    change: (n) => ({ first_name: `Grace ${n}` }),
  },
  'put /api/v1/webhook-endpoints/{endpoint_id}': {
    read: `/api/v1/webhook-endpoints/${endpointId}`,
    change: (n) => ({ description: `CRM ${n}` }),
  },
};

const tagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? '';
const read = (path: string, headers: Record<string, string> = {}) =>
  client.send(`GET ${path}`, { key, headers });
const put = (path: string, json: object, tag?: string) =>
  client.send(`PUT ${path}`, { key, json, headers: tag === undefined ? {} : { 'If-Match': tag } });

test('every PUT of the interface is tried here', () => {
  const puts = Object.entries(client.document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) => (method === 'put' ? [`put ${path}`] : [])),
  );
  expect(puts.toSorted()).toEqual(Object.keys(resources).toSorted());
});

describe.each(Object.entries(resources))('%s', (operation, { read: readPath, change }) => {
  const path = operation.endsWith('/status') ? `${readPath}/status` : readPath;
  const changed = { status: 412, json: { code: 'changed_meanwhile' } };

  test('changes what the caller has read, and nothing that another has changed since', async () => {
    const tag = tagOf(await read(readPath));
    const done = await put(path, change(1), tag);
    expect(done.status).toBe(200);
    expect(await put(path, change(2), tag)).toMatchObject(changed);
    expect(await put(path, change(2), '"nothing"')).toMatchObject(changed);
    // The answer to a change has the tag for the next one.
    expect((await put(path, change(2), `"other", ${tagOf(done)}`)).status).toBe(200);
    expect((await put(path, change(3), '*')).status).toBe(200);
    expect((await put(path, change(4))).status).toBe(200);
  });

  test('lets one of several changes of the same state through', async () => {
    const tag = tagOf(await read(readPath));
    const answers = await Promise.all([5, 7, 9, 11].map((n) => put(path, change(n), tag)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 412, 412, 412]);
  });
});

describe('the tag of a campaign', () => {
  const people = (numbers: readonly string[]) => ({
    recipients: numbers.map((phone_number) => ({ phone_number })),
  });

  test('shows that people were added or withdrawn, by the summary too', async () => {
    const id = await make('POST /api/v1/campaigns', {
      json: { name: 'Winter', agent_id: agentId, phone_numbers: [phone], status: 'paused' },
    });
    const at = `/api/v1/campaigns/${id}`;
    const tags = [tagOf(await read(at)), tagOf(await read(`${at}?fields=summary`))];
    await client.send(`POST ${at}/recipients`, { key, json: people(['+15551230001']) });
    for (const tag of tags) {
      expect((await put(at, { phone_numbers: [phone] }, tag)).status).toBe(412);
    }
    const summary = tagOf(await read(`${at}?fields=summary`));
    const listed = await client.send(`GET ${at}/recipients`, { key });
    const { data } = z
      .object({ data: z.object({ items: z.array(z.object({ id: z.string() })) }) })
      .parse(listed.json);
    await client.send(`DELETE ${at}/recipients/${data.items[0]?.id ?? ''}`, { key });
    expect((await put(at, { name: 'Cold' }, summary)).status).toBe(412);
    expect((await put(at, { name: 'Cold' }, tagOf(await read(`${at}?fields=summary`)))).status).toBe(200);
  });

  test('shows that a person was erased', async () => {
    const number = '+15551230077';
    const id = await make('POST /api/v1/campaigns', {
      json: { name: 'Gone', agent_id: agentId, phone_numbers: [phone, number], status: 'paused' },
    });
    const tag = tagOf(await read(`/api/v1/campaigns/${id}`));
    await make('POST /api/v1/erasures', { json: { phone_number: number } });
    expect((await put(`/api/v1/campaigns/${id}`, { phone_numbers: [phone, number] }, tag)).status).toBe(412);
  });

  test('is there for a list that is streamed, and answers 304 without reading it', async () => {
    const numbers = Array.from({ length: 12_000 }, (_, n) => `+1555${String(2_000_000 + n)}`);
    const id = await make('POST /api/v1/campaigns', {
      json: { name: 'Long', agent_id: agentId, phone_numbers: numbers, status: 'paused' },
    });
    const at = `/api/v1/campaigns/${id}`;
    const tag = tagOf(await read(at));
    expect((await read(at, { 'If-None-Match': tag })).status).toBe(304);
    const done = await put(at, { name: 'Longer' }, tag);
    expect([done.status, tagOf(done)]).toEqual([200, tagOf(await read(at))]);
    expect((await put(at, { name: 'Longest' }, tag)).status).toBe(412);
  });
});
