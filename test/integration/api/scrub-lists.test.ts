import { expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';

const { client, organization } = await apiWorld();
const acme = await organization();
const { manager: key } = acme.keys;
const number = '+14155552671';
const hourMs = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString();
const body = (over: object = {}) => ({
  name: 'us-national-dnc',
  source: 'National Do Not Call Registry',
  account: '10034221-54321',
  scrubbed_at: ago(1),
  complete: true,
  numbers: [number],
  ...over,
});
const send = (json: object) => client.send('POST /api/v1/scrub-lists/import', { key, json });
const listsOf = async (phone: string) =>
  (await client.send(`GET /api/v1/scrub-lists?phone_number=${encodeURIComponent(phone)}`, { key })).json;
const namesOf = async (phone: string) => JSON.stringify(await listsOf(phone));

test('a list is imported, found by a number on it, needed by name, and removed', async () => {
  const numbers = [number, '(415) 555-2672', '+1 415 555 2671'];
  const answer = await send(body({ numbers, country: 'US' }));
  expect(answer.json).toMatchObject({
    data: {
      list: { name: 'us-national-dnc', account: '10034221-54321' },
      rows: 3,
      added: 2,
      known: 1,
      refused: [],
    },
  });
  expect(await listsOf(number)).toMatchObject({ data: { items: [{ name: 'us-national-dnc' }] } });
  expect(await listsOf('+14155552699')).toMatchObject({ data: { items: [] } });
  const removed = await client.send('DELETE /api/v1/scrub-lists/us-national-dnc', { key });
  expect(removed.json).toMatchObject({ data: { name: 'us-national-dnc' } });
  expect((await client.send('DELETE /api/v1/scrub-lists/us-national-dnc', { key })).status).toBe(404);
});

test('a list that is declared complete is refused as a whole if one line cannot be read, and each such line is named', async () => {
  const name = 'unread';
  const own = '+14155552640';
  const wrong = body({ name, numbers: [own, '12', '+14155552641', 'nobody'] });
  expect(await send(wrong)).toMatchObject({
    status: 422,
    json: {
      detail: [
        {
          loc: ['body', 'numbers'],
          msg: expect.stringMatching(/^2 of 4 lines .*: line 2 has .*; line 4 has /) as unknown,
        },
      ],
    },
  });
  expect(await namesOf(own)).not.toContain(name);
  // A part says what it lacks, and can be sent again.
  expect((await send({ ...wrong, complete: false })).json).toMatchObject({
    data: { rows: 4, added: 2, known: 0, refused: [{ line: 2 }, { line: 4 }] },
  });
});

test('a version of which most lines cannot be read replaces nothing', async () => {
  const name = 'without-country';
  const before = ago(3);
  await send(body({ name, scrubbed_at: before }));
  const answer = await send(body({ name, numbers: ['4155552671', '4155552672', '+14155552673'] }));
  expect(answer).toMatchObject({
    status: 422,
    json: { detail: [{ loc: ['body', 'numbers'], msg: expect.stringContaining('2 of 3 lines') as unknown }] },
  });
  expect(await listsOf(number)).toMatchObject({ data: { items: [{ name, scrubbed_at: before }] } });
});

test('a version says whether it is complete, and one that is empty or sharply smaller replaces nothing unless forced', async () => {
  const name = 'counted';
  const numbers = ['+14155552650', '+14155552651', '+14155552652', '+14155552653', '+14155552654'];
  const { complete: _, ...unsaid } = body({ name, numbers });
  expect(await send(unsaid)).toMatchObject({
    status: 422,
    json: { detail: [{ loc: ['body', 'complete'] }] },
  });
  const first = { name, scrubbed_at: ago(9) };
  expect((await send(body({ ...first, numbers: [] }))).status).toBe(422);
  expect((await send(body({ ...first, numbers }))).json).toMatchObject({ data: { added: 5 } });
  const refused = { status: 422, json: { detail: [{ loc: ['body', 'complete'] }] } };
  const second = { name, scrubbed_at: ago(3) };
  expect(await send(body({ ...second, numbers: [] }))).toMatchObject(refused);
  const few = await send(body({ ...second, numbers: numbers.slice(0, 2) }));
  expect(few).toMatchObject(refused);
  expect(JSON.stringify(few.json)).toContain('2 numbers, after 5');
  expect(await namesOf('+14155552654')).toContain(name);
  // Parts of a version count together.
  await send(body({ ...second, numbers: numbers.slice(0, 2), complete: false }));
  expect((await send(body({ ...second, numbers: numbers.slice(2, 3) }))).status).toBe(200);
  expect(await namesOf('+14155552654')).not.toContain(name);
  expect((await send(body({ ...second, scrubbed_at: ago(2), numbers: [], force: true }))).status).toBe(200);
  expect(await namesOf('+14155552650')).not.toContain(name);
});

test.each([
  ['US', 31],
  ['US-FL', 31],
  ['GB', 28],
  ['SG', 21],
  ['AU', 30],
  ['IT', 15],
  ['FR', 30],
  ['DE', 31],
])('a list of %s is good for %i days, by the law of its jurisdiction', async (jurisdiction, days) => {
  const name = `of-${jurisdiction.toLowerCase()}`;
  const old = await send(body({ name, jurisdiction, scrubbed_at: ago(days * 24) }));
  expect(old).toMatchObject({ status: 422, json: { detail: [{ loc: ['body', 'scrubbed_at'] }] } });
  const at = ago(days * 24 - 1);
  const until = new Date(Date.parse(at) + days * 24 * hourMs).toISOString();
  const taken = await send(body({ name, jurisdiction, scrubbed_at: at }));
  expect(taken.json).toMatchObject({
    data: { list: { jurisdiction, good_for_days: days, good_until: until } },
  });
  // The next version keeps both, and its owner may ask for fewer days, but not for more.
  const next = body({ name, scrubbed_at: ago(2) });
  expect((await send(next)).json).toMatchObject({ data: { list: { jurisdiction, good_for_days: days } } });
  const asked = async (good_for_days: number) =>
    (await send({ ...next, scrubbed_at: ago(1), good_for_days })).json;
  expect(await asked(7)).toMatchObject({ data: { list: { good_for_days: 7 } } });
  expect(await asked(31)).toMatchObject({ data: { list: { good_for_days: days } } });
});

test('fewer days stay asked for when a later version or part repeats the jurisdiction, or names another', async () => {
  const list = { name: 'fewer', jurisdiction: 'US' };
  await send(body({ ...list, scrubbed_at: ago(9), good_for_days: 7 }));
  for (const next of [list, { ...list, complete: false }, { ...list, jurisdiction: 'DE' }]) {
    expect((await send(body(next))).json).toMatchObject({ data: { list: { good_for_days: 7 } } });
  }
});

test('a file is the numbers of its phone column, and its parts are one version', async () => {
  const versionAt = ago(2);
  const upload = (csv: string, complete: boolean) => {
    const form = new FormData();
    const { numbers: _, ...fields } = body({ name: 'uk-tps', scrubbed_at: versionAt, country: 'GB' });
    for (const [name, value] of Object.entries({ ...fields, complete: String(complete) })) {
      form.set(name, value);
    }
    form.set('file', new Blob([csv], { type: 'text/csv' }), 'list.csv');
    return client.send('POST /api/v1/scrub-lists/import', { key, body: form });
  };
  const first = await upload('id;phone\n1;020 7183 8750\n2;nonsense\n', false);
  expect(first.json).toMatchObject({
    data: { list: { scrubbed_at: null, good_until: null }, added: 1, refused: [{ line: 3 }] },
  });
  const second = await upload('phone\n+442071838751\n', true);
  expect(second.json).toMatchObject({ data: { list: { scrubbed_at: versionAt }, added: 1 } });
});

test.each([
  [body({ scrubbed_at: ago(-1) }), 'scrubbed_at'],
  [body({ scrubbed_at: ago(31 * 24) }), 'scrubbed_at'],
  [body({ name: 'US list' }), 'name'],
  [body({ jurisdiction: 'Texas' }), 'jurisdiction'],
  [body({ good_for_days: 32 }), 'good_for_days'],
])('%j is 422', async (json, field) => {
  const answer = await send(json);
  expect(answer).toMatchObject({ status: 422, json: { detail: [{ loc: ['body', field] }] } });
});

test('a campaign cannot need a list that is not there', async () => {
  const campaign = { name: 'Spring', agent_id: await acme.agent(), phone_numbers: [number] };
  const id = await client.create('POST /api/v1/campaigns', { key, json: campaign });
  const answer = await client.send(`PUT /api/v1/campaigns/${id}/config`, {
    key,
    json: { scrub_lists: ['nowhere'] },
  });
  expect(answer).toMatchObject({ status: 422, json: { detail: [{ loc: ['body', 'scrub_lists'] }] } });
});
