import { randomUUID } from 'node:crypto';
import { importedCampaign, warning } from '@outdial/contracts';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from '../api/api-world.ts';

const { client, db, organization } = await apiWorld();
const acme = await organization();
const agentId = await acme.agent({ prompt: 'Call {{name}} about {{topic}}.' });

// A sequence also counts rows that are rolled back.
beforeAll(async () => {
  await sql`create sequence written_recipients`.execute(db);
  await sql`create function count_written() returns trigger language plpgsql as
    $$ begin perform nextval('written_recipients'); return new; end $$`.execute(db);
  await sql`create trigger count_written after insert on campaign_recipients
    for each row execute function count_written()`.execute(db);
});

async function writtenRecipients(): Promise<number> {
  const { rows } = await sql<{
    written: number;
  }>`select nextval('written_recipients')::integer as written`.execute(db);
  return rows[0]?.written ?? 0;
}

const listOf = (length: number, rowOf: (index: number) => string) =>
  Array.from({ length }, (_, index) => `+1555${String(index).padStart(7, '0')},${rowOf(index)}`);

const answerOf = z.object({
  data: importedCampaign,
  meta: z.looseObject({ warnings: z.array(warning).optional() }),
});

async function post(rows: string[], fields: object, parts: Record<string, string>) {
  const form = new FormData();
  form.set('file', new Blob([['phone,name,timezone', ...rows].join('\n')]), 'people.csv');
  const campaign = { name: 'Spring', agent_id: agentId, start_time: '09:00', end_time: '17:00', ...fields };
  form.set('campaign', JSON.stringify(campaign));
  for (const [name, value] of Object.entries(parts)) form.set(name, value);
  return client.send('POST /api/v1/campaigns/import', { key: acme.keys.manager, body: form });
}

async function send(rows: string[], fields: object, parts: Record<string, string> = { dry_run: 'true' }) {
  const answer = await post(rows, fields, parts);
  expect(answer.status).toBe(200);
  const { data, meta } = answerOf.parse(answer.json);
  return { data, warnings: meta.warnings ?? [] };
}

test('a dry run writes few people of a long list, and warns of the same as the creation', async () => {
  const rows = listOf(3_000, (index) => {
    const name = index % 3 === 0 ? '' : 'Ada';
    return `${name},${index === 2_999 ? 'Europe/Berlin' : ''}`;
  });
  const fields = { additional_params: { prompt_params: { topic: 'tea' } }, start_date: '2020-01-01' };
  const before = await writtenRecipients();
  const dry = await send(rows, fields);
  expect((await writtenRecipients()) - before - 1).toBe(1_001);
  expect(dry.data.taken).toBe(3_000);
  const real = await send(rows, fields, {});
  expect(dry.warnings).toEqual(real.warnings);
  expect(dry.warnings.map(({ code }) => code)).toEqual([
    'default_timezone',
    'starts_in_the_past',
    'prompt_value_missing',
  ]);
  expect(dry.warnings[2]?.msg).toContain('1000 recipients have no value');
  const { rows: kept } = await sql<{ count: number }>`select count(*)::int as count from campaigns`.execute(
    db,
  );
  expect(kept).toEqual([{ count: 1 }]);
});

const refused = ['tomorrow,Bob,'];

test.each<[string, object, RegExp]>([
  ['an agent that does not exist', { agent_id: randomUUID() }, /Agent not found/],
  ['another organization', { organization_id: randomUUID() }, /organization_id/],
])('with %s it answers the rows, and what the creation would be refused with', async (_, fields, message) => {
  const { data, warnings } = await send([...listOf(1, () => 'Ada,'), ...refused], fields);
  expect(data).toMatchObject({ taken: 1, refused: [{ line: 3, column: 'phone' }] });
  expect(warnings.filter(({ code }) => code === 'would_be_refused')).toMatchObject([
    { loc: expect.arrayContaining(['body']) as unknown, msg: expect.stringMatching(message) as unknown },
  ]);
});

test.each<[string, object, string]>([
  ['an end before the start', { start_date: '2030-01-02', end_date: '2030-01-01' }, 'end_date'],
  ['no name', { name: undefined }, 'name'],
])('with %s it is refused, and names the rows too', async (_, fields, field) => {
  const many = Array.from({ length: 150 }, () => 'tomorrow,Bob,');
  const answer = await post([...listOf(1, () => 'Ada,'), ...many], fields, { dry_run: 'true' });
  expect(answer.status).toBe(422);
  const { detail } = z
    .object({ detail: z.array(z.looseObject({ loc: z.array(z.unknown()), msg: z.string() })) })
    .parse(answer.json);
  expect(detail).toHaveLength(102);
  expect(detail[0]?.loc).toContain(field);
  expect(detail[1]).toEqual({
    loc: ['body', 'file', 3, 'phone'],
    msg: expect.stringContaining('This row has an invalid phone number') as unknown,
    type: 'value_error',
  });
  expect(detail.at(-1)?.msg).toContain('and 50 more');
});

test("counts the whole list against the organization's limit", async () => {
  // More rows than a dry run writes, but fewer than the file has.
  await sql`update organizations set max_recipients = 1500 + (select count(*) from campaign_recipients)
    where id = ${acme.id}`.execute(db);
  const rows = listOf(2_000, () => 'Ada,');
  const { data, warnings } = await send([...rows, ...refused], {});
  expect([data.taken, data.refused.length]).toEqual([2_000, 1]);
  expect(warnings).toMatchObject([
    { code: 'would_be_refused', msg: expect.stringContaining('recipients in its campaigns') as unknown },
  ]);
});
