import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from '../api/api-world.ts';
import { doors, sendList } from './doors.ts';

const { client, organization } = await apiWorld();

const imported = z.object({
  meta: z.object({
    warnings: z.array(z.object({ code: z.string(), loc: z.array(z.unknown()) })).default([]),
  }),
});
const made = z.object({ data: z.object({ campaign: z.object({ id: z.string() }) }) });
const people = z.object({
  data: z.object({ additional_params: z.object({ recipients: z.record(z.string(), z.unknown()) }) }),
});
const refusal = z.object({ detail: z.array(z.object({ loc: z.array(z.unknown()), msg: z.string() })) });

/** Organizations under the policy of the test. */
async function importer(policy: 'strict' | 'none' = 'none', path = 'campaigns') {
  const acme = await organization();
  await client.send('PUT /api/v1/organization', { key: acme.keys.admin, json: { calling_policy: policy } });
  return async (file: string, parts: Record<string, string> = {}) => {
    const answer = await sendList({ client }, acme, { path, parts }, file);
    const recipients = async () => {
      const { id } = made.parse(answer.json).data.campaign;
      const read = await client.send(`GET /api/v1/campaigns/${id}`, { key: acme.keys.viewer });
      return people.parse(read.json).data.additional_params.recipients;
    };
    return { status: answer.status, json: answer.json, recipients };
  };
}

const faultOf = (json: unknown) => refusal.parse(json).detail[0];

test.each(Object.values(doors))(
  'an import of $path asks which of two columns has the phone numbers',
  async ({ path, parts }) => {
    const twice = 'Number,Name,Mobile\n1000231,Ada,+15551230000\n';
    const send = await importer('none', path);
    const { status, json } = await send(twice, parts);
    expect(status).toBe(422);
    expect(faultOf(json)?.loc).toEqual(['body', 'mapping']);
    expect(faultOf(json)?.msg).toContain('"Number" and "Mobile"');
    const mapping = JSON.stringify({ Mobile: 'phone_number' });
    const answered = await send(twice, { ...parts, mapping });
    expect(answered.status).toBe(200);
    expect(JSON.stringify(answered.json)).not.toContain('phone_number"');
  },
);

test('a file without any valid row names its rows', async () => {
  const send = await importer();
  const { status, json } = await send('phone\nme\nyou\n');
  expect(status).toBe(422);
  expect(refusal.parse(json).detail.map(({ loc }) => loc)).toEqual([
    ['body', 'file'],
    ['body', 'file', 2, 'phone'],
    ['body', 'file', 3, 'phone'],
  ]);
  expect(JSON.stringify(json)).not.toContain('dry run');
});

describe('columns that look like where a person is', () => {
  const places = readFileSync(new URL('../../fixtures/lists/28-places.csv', import.meta.url), 'utf8');

  test('are warned of', async () => {
    const send = await importer();
    const { meta } = imported.parse((await send(places)).json);
    const named = meta.warnings.filter(({ code }) => code === 'unknown_field').map(({ loc }) => loc.at(-1));
    expect(named).toEqual(['State', 'ZIP']);
  });

  test('under strict refuse the file until a mapping says what they are', async () => {
    const send = await importer('strict');
    const { status, json } = await send(places);
    expect(status).toBe(422);
    expect(refusal.parse(json).detail.map(({ loc }) => loc)).toEqual([
      ['body', 'mapping'],
      ['body', 'mapping'],
    ]);
    const dry = imported.parse((await send(places, { dry_run: 'true' })).json);
    expect(dry.meta.warnings.filter(({ code }) => code === 'would_be_refused')).toHaveLength(2);

    // A misspelled field says neither that it is a place nor that it is none.
    const misspelt = await send(places, { mapping: JSON.stringify({ State: 'Region', ZIP: 'zip' }) });
    expect(misspelt.status).toBe(422);
    expect(refusal.parse(misspelt.json).detail).toHaveLength(2);

    const used = await send(places, { mapping: JSON.stringify({ State: 'region', ZIP: 'postal_code' }) });
    expect(used.status).toBe(200);
    expect(await used.recipients()).toMatchObject({
      '+12125550100': { region: 'US-CA', postal_code: '94105', prompt_params: { 'First name': 'Ada' } },
    });
    const values = await send(places, {
      mapping: JSON.stringify({ State: 'prompt_params.State', ZIP: null }),
    });
    expect(values.status).toBe(200);
    expect(await values.recipients()).toMatchObject({ '+12125550100': { prompt_params: { State: 'CA' } } });
  });

  test('with the names of the fields are used', async () => {
    const send = await importer('strict');
    const { recipients } = await send('phone,Region,postal_code\n+12125550100,US-CA,94105\n');
    expect(await recipients()).toEqual({ '+12125550100': { region: 'US-CA', postal_code: '94105' } });
  });

  test('in JSON are a fault under strict', async () => {
    const acme = await organization();
    const key = acme.keys.admin;
    await client.send('PUT /api/v1/organization', { key, json: { calling_policy: 'strict' } });
    const recipients = { '+12125550100': { Region: 'US-CA', postalCode: '94105' } };
    const { status, json } = await client.send('POST /api/v1/campaigns', {
      key,
      json: {
        name: 'Spring',
        agent_id: await acme.agent(),
        phone_numbers: ['+12125550100'],
        additional_params: { recipients },
      },
    });
    expect(status).toBe(422);
    expect(refusal.parse(json).detail.map(({ loc }) => loc.at(-1))).toEqual(['Region', 'postalCode']);
  });
});
