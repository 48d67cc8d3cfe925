import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from '../api/api-world.ts';
import { type Door, doors, sendList } from './doors.ts';

const { client, organization } = await apiWorld();
const acme = await organization();
const folder = new URL('../../fixtures/lists/', import.meta.url);

const scrubList = {
  path: 'scrub-lists',
  columns: {},
  parts: { ...doors['scrub lists']?.parts, complete: 'true' },
};
const imports: ReadonlyArray<readonly [string, Pick<Door, 'path' | 'columns' | 'parts'>]> = [
  ...Object.entries(doors),
  ['complete scrub lists', scrubList],
];

/** The sample, with the columns of the import behind the first one. */
function sampleFor({ columns }: Pick<Door, 'columns'>, name: string): string {
  const lines = readFileSync(new URL(name, folder), 'utf8').split('\n');
  const header = lines.findIndex((line) => /phone/i.test(line));
  const widened = lines.map((line, at) => {
    if (line === '' || at < header) return line;
    const [first, ...rest] = line.split(',');
    return [first, ...(at === header ? Object.keys(columns) : Object.values(columns)), ...rest].join();
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

function countsOf(json: unknown) {
  const { rows, refused, taken, added = 0, known } = answer.parse(json).data;
  return {
    rows,
    taken: taken ?? added + known,
    lines: refused.map(({ line }) => String(line)),
    refused: Object.fromEntries(refused.map(({ line, reason }) => [line, reason])),
  };
}

const matching = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;
const quotes = matching(/^has a cell that begins with a quotation mark and does not end with one/);
const two = matching(/^has two phone numbers, \+49 •+12 and \+49 •+13/);

/** What is right of each sample, for every import. A refused row spoils a list that is declared complete. */
const samples: ReadonlyArray<
  [file: string, parts: Record<string, string>, right: { rows: number; refused: Record<number, unknown> }]
> = [
  ['01-stray-quote.csv', {}, { rows: 40, refused: { 12: quotes } }],
  ['06-two-phone-columns.csv', { country: 'US' }, { rows: 2, refused: {} }],
  [
    '27-two-readings.csv',
    { country: 'DE' },
    {
      rows: 5,
      refused: {
        2: matching(/in two ways: \+49 •{8}12 .* or \+49 •{10}12 /),
        5: two,
        6: matching(/^has two phone numbers, \+49 •+15 and \+49 •+16/),
      },
    },
  ],
  [
    '27-two-readings.csv',
    { country: 'DE', numbers: 'international' },
    { rows: 5, refused: { 5: two, 6: matching(/two/) } },
  ],
  [
    '27-two-readings.csv',
    { country: 'DE', numbers: 'national' },
    { rows: 5, refused: { 5: two, 6: matching(/two/) } },
  ],
];

test.each(imports.flatMap(([name, door]) => samples.map((sample) => [name, ...sample, door] as const)))(
  'an import of %s takes or names each line of %s %o',
  async (name, file, more, right, door) => {
    const parts = { ...door.parts, ...more };
    const { status, json } = await sendList({ client }, acme, { ...door, parts }, sampleFor(door, file));
    const got = status === 200 ? countsOf(json) : { status, json };
    const lines = Object.keys(right.refused);
    // A list that is declared complete has no refused row, and another one not mostly refused rows.
    const isSpoilt =
      door.path === 'scrub-lists' && lines.length > (name.startsWith('complete') ? 0 : right.rows / 2);
    expect(got).toMatchObject(
      isSpoilt
        ? { status: 422, json: { detail: [{ loc: ['body', 'file'] }] } }
        : { ...right, lines, taken: right.rows - lines.length },
    );
    expect(JSON.stringify(got)).not.toMatch(/\d{5}/);
  },
);

test.each(imports)('an import of %s quotes a title above the names', async (_, door) => {
  const answered = await sendList({ client }, acme, door, sampleFor(door, '02-title-row.csv'));
  expect([answered.status, JSON.stringify(answered.json)]).toEqual([
    422,
    expect.stringContaining('the line has Customers of November'),
  ]);
});
