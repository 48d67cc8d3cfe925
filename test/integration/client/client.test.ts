import { fileURLToPath } from 'node:url';
import { listCallsQuery, outcome, recipientState, role, usageQuery } from '@outdial/contracts';
import { eventTypes } from '@outdial/core';
import { allItems, createOutdialClient, ok, OutdialError, readWebhook } from '@outdial/client';
import { signedHeaders, signingKey } from '@outdial/webhooks';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from '../api/api-world.ts';

const world = await apiWorld();
const acme = await world.organization();
const client = createOutdialClient({ baseUrl: `${world.client.base}/`, apiKey: acme.keys.admin });

/** All that types need of the document: without examples, and with the errors of operations, which are alike, in one place. */
function withEachErrorOnce(document: string): string {
  const names = new Map<string, string>();
  const parsed: unknown = JSON.parse(document, (key, value: unknown) => {
    if (key === 'example') return undefined;
    if (!/^[45]\d\d$/.test(key)) return value;
    const response = JSON.stringify(value);
    const alike = [...names.values()].filter((name) => name.startsWith(`Error${key}`)).length;
    const name = names.get(response) ?? `Error${key}${alike === 0 ? '' : `_${alike + 1}`}`;
    names.set(response, name);
    return { $ref: `#/components/responses/${name}` };
  });
  const { components, ...rest } = z.looseObject({ components: z.looseObject({}) }).parse(parsed);
  const responses = Object.fromEntries([...names].map(([response, name]) => [name, JSON.parse(response)]));
  return JSON.stringify({ ...rest, components: { ...components, responses } });
}

// After a change of the interface, `npm test -- -u test/integration/client` writes the file again.
test('has the types of the interface that the api describes', async () => {
  const document = await (await fetch(`${world.client.base}/openapi.json`)).text();
  const types = astToString(await openapiTS(withEachErrorOnce(document), { defaultNonNullable: false }));
  const file = fileURLToPath(new URL('../../../packages/client/src/generated/openapi.ts', import.meta.url));
  await expect(`// Generated from /openapi.json. Do not edit.\n${types}`).toMatchFileSnapshot(file);
});

test('has the values that the api knows', async () => {
  const lists = {
    callStatuses: listCallsQuery.shape.status.unwrap().options,
    eventTypes,
    outcomes: outcome.options,
    recipientStates: recipientState.options,
    roles: role.options,
    usageGroups: usageQuery.shape.by.unwrap().options,
  };
  const lines = Object.entries(lists).map(
    ([name, values]) => `export const ${name} = ${JSON.stringify(values)} as const;`,
  );
  const file = fileURLToPath(new URL('../../../packages/client/src/generated/values.ts', import.meta.url));
  await expect(
    ['// Generated from the contracts of the interface. Do not edit.', ...lines, ''].join('\n'),
  ).toMatchFileSnapshot(file);
});

test("throws the api's refusals, with code and faults", async () => {
  const missing = ok(
    client.GET('/api/v1/campaigns/{campaign_id}', { params: { path: { campaign_id: 'nothing' } } }),
  );
  await expect(missing).rejects.toMatchObject({ status: 404, code: 'not_found' });
  const invalid = await ok(client.POST('/api/v1/suppressions', { body: { phone_number: 'x' } })).catch(
    (error: unknown) => error,
  );
  expect(invalid).toBeInstanceOf(OutdialError);
  expect(invalid).toMatchObject({ code: 'validation', faults: [{ loc: ['body', 'phone_number'] }] });
});

test('walks through a list of any length', async () => {
  const numbers = Array.from({ length: 7 }, (_, n) => `+1555123010${n}`);
  for (const phone_number of numbers) {
    await ok(client.POST('/api/v1/suppressions', { body: { phone_number } }));
  }
  const found: string[] = [];
  const pages = allItems((cursor) =>
    client.GET('/api/v1/suppressions', {
      params: { query: { limit: 3, ...(cursor !== undefined && { cursor }) } },
    }),
  );
  for await (const one of pages) found.push(one.phone_number);
  expect(found.toSorted()).toEqual(numbers);
});

test('reads a webhook that was signed with the secret, and no other', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = JSON.stringify({ id: 'e', type: 'call.ended', data: { outcome: 'completed' } });
  const headers = signedHeaders([signingKey(secret)], { messageId: 'e', body, at: new Date() });
  expect(readWebhook(secret, { headers, body })).toMatchObject({ type: 'call.ended' });
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  expect(() => readWebhook(other, { headers, body })).toThrow('No matching signature');
});
