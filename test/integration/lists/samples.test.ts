import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from '../api/api-world.ts';

const { client, organization } = await apiWorld();
const acme = await organization();
const agentId = await acme.agent();
const folder = new URL('../../fixtures/lists/', import.meta.url);

interface Door {
  path: string;
  fields?: Record<string, string>;
  /** The columns that it needs besides, and their cells. */
  columns?: Record<string, string>;
}

const scrubList = { name: 'any', source: 'DDV', scrubbed_at: new Date().toISOString() };
const doors: Record<string, Door> = {
  campaigns: {
    path: 'campaigns',
    fields: { campaign: JSON.stringify({ name: 'Spring', agent_id: agentId }) },
  },
  suppressions: { path: 'suppressions' },
  consents: {
    path: 'consents',
    columns: { basis: 'prior_express', source: 'form', given_at: '2026-01-05T09:00:00Z' },
  },
  'scrub lists': { path: 'scrub-lists', fields: { ...scrubList, complete: 'false' } },
  'complete scrub lists': { path: 'scrub-lists', fields: { ...scrubList, complete: 'true' } },
  'number changes': {
    path: 'number-changes',
    columns: { kind: 'ported', changed_at: '2026-01-05T09:00:00Z', source: 'registry' },
  },
};

/** The sample, with the columns of the import behind the first one. */
function sampleFor({ columns = {} }: Door, name: string): string {
  const lines = readFileSync(new URL(name, folder), 'utf8').split('\n');
  const header = lines.findIndex((line) => /phone/i.test(line));
  const delimiter = lines[header]?.includes(';') === true ? ';' : ',';
  const widened = lines.map((line, at) => {
    if (line === '' || at < header) return line;
    const [first, ...rest] = line.split(delimiter);
    return [first, ...(at === header ? Object.keys(columns) : Object.values(columns)), ...rest].join(
      delimiter,
    );
  });
  return widened.join('\n');
}

const answer = z.object({
  data: z.object({
    rows: z.int(),
    refused: z.array(z.object({ line: z.int(), reason: z.string() })),
    taken: z.int().optional(),
    added: z.int().optional(),
    known: z.int().default(0),
  }),
});

async function send(door: Door, file: string, parts: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...door.fields, ...parts })) form.set(name, value);
  form.set('file', new Blob([file]), 'list.csv');
  const { status, json } = await client.send(`POST /api/v1/${door.path}/import`, {
    key: acme.keys.admin,
    body: form,
  });
  if (status !== 200) return { status, json };
  const { rows, refused, taken, added = 0, known } = answer.parse(json).data;
  return {
    rows,
    taken: taken ?? added + known,
    lines: refused.map(({ line }) => String(line)),
    refused: Object.fromEntries(refused.map(({ line, reason }) => [line, reason])),
  };
}

const quotes = 'has a cell that begins with a quotation mark and does not end with one';
const two = /^has two phone numbers, \+49 •+12 and \+49 •+13/;

/** What is right of each sample, for every import. A refused row spoils a list that is declared complete. */
const samples: ReadonlyArray<
  [file: string, parts: Record<string, string>, right: { rows: number; refused: Record<number, unknown> }]
> = [
  ...['01-stray-quote.csv', '01-quoted-quotes.csv', '01-hand-edited.csv', '01-never-closed.csv'].map(
    (file) =>
      [file, {}, { rows: 40, refused: { 12: expect.stringContaining(quotes) as unknown } }] satisfies [
        string,
        object,
        object,
      ],
  ),
  ['02-short-rows.csv', {}, { rows: 4, refused: {} }],
  ['02-empty-columns.csv', {}, { rows: 2, refused: {} }],
  ['06-two-phone-columns.csv', {}, { rows: 2, refused: {} }],
  ['06-two-phone-columns.csv', { country: 'US' }, { rows: 2, refused: {} }],
  ['07-invisible-characters.csv', {}, { rows: 4, refused: {} }],
  ['08-sep-line.csv', {}, { rows: 1, refused: {} }],
  [
    '27-two-readings.csv',
    { country: 'DE' },
    {
      rows: 5,
      refused: {
        2: expect.stringMatching(/in two ways: \+49 •{8}12 .* or \+49 •{10}12 /) as unknown,
        5: expect.stringMatching(two) as unknown,
        6: expect.stringMatching(/^has two phone numbers, \+49 •+15 and \+49 •+16/) as unknown,
      },
    },
  ],
  ...(['international', 'national'] as const).map(
    (numbers) =>
      [
        '27-two-readings.csv',
        { country: 'DE', numbers },
        {
          rows: 5,
          refused: {
            5: expect.stringMatching(two) as unknown,
            6: expect.stringContaining('two') as unknown,
          },
        },
      ] satisfies [string, object, object],
  ),
];

test.each(
  Object.entries(doors).flatMap(([name, door]) => samples.map((sample) => [name, ...sample, door] as const)),
)('an import of %s takes or names each line of %s %o', async (name, file, parts, right, door) => {
  const got = await send(door, sampleFor(door, file), parts);
  const refused = Object.keys(right.refused);
  // A list that is declared complete has no refused row, and another one not mostly refused rows.
  const isSpoilt =
    door.path === 'scrub-lists' && refused.length > (name.startsWith('complete') ? 0 : right.rows / 2);
  expect(got).toMatchObject(
    isSpoilt
      ? { status: 422, json: { detail: [{ loc: ['body', 'file'] }] } }
      : { ...right, lines: refused, taken: right.rows - refused.length },
  );
});

test.each(Object.entries(doors))('an import of %s quotes a title above the names', async (_, door) => {
  const got = await send(door, sampleFor(door, '02-title-row.csv'));
  expect(got).toMatchObject({
    status: 422,
    json: {
      detail: [
        {
          loc: ['body', 'file'],
          msg: expect.stringContaining('the line has Customers of November') as unknown,
        },
      ],
    },
  });
});

test.each(Object.entries(doors))(
  'an import of %s asks which of two columns has the numbers',
  async (_, door) => {
    const list = sampleFor(door, '06-two-phone-columns.csv').replace('Phone', 'Home tel');
    expect(await send(door, list, { country: 'GB' })).toMatchObject({
      status: 422,
      json: {
        detail: [
          { loc: ['body', 'mapping'], msg: expect.stringContaining('"Number" and "Home tel"') as unknown },
        ],
      },
    });
  },
);
