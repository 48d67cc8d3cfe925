import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type AnyList, anyList } from '../../../packages/sheets/src/any-list.fixture.ts';
import { isFullRun } from '../../support/full-run.ts';
import { apiWorld } from '../api/api-world.ts';
import { type Door, doors, listCommands, sendList } from './doors.ts';

/** For each import. `npm run long` sends 20,000. */
const linesOfDoor = Number(process.env['LIST_LINES'] ?? (isFullRun ? 600 : 200));

const { client, organization, db } = await apiWorld();

/** More lines than a file has. */
const numbersOfFile = 3_000;

/** A number for each line of each file. */
const numberAt = (file: number, line: number) =>
  `+1555${String(file * numbersOfFile + line).padStart(7, '0')}`;

/** Sends files until enough lines were sent, and counts the lines that were taken. `send` answers the lines that were refused, or null if the whole file was. */
async function everyLine(
  door: Door,
  args: {
    send: (bytes: Buffer) => Promise<ReadonlySet<number> | null>;
    taken: () => Promise<ReadonlySet<string>>;
  },
): Promise<number> {
  let [seen, kept, files] = [0, 0, 0];
  const idOf = (line: number) => `<${line}>`;
  const list = anyList({
    header: ['phone', ...Object.keys(door.columns), 'text_shown', 'note'],
    fixed: Object.values(door.columns),
    idOf,
    before: ['"', '\u200B', '\uFEFF', ' '],
    cellsOf: { min: 2, max: 2 },
  });
  const property = fc.asyncProperty(list, async (given: AnyList) => {
    const file = ++files;
    const isUtf16 = given.bytes[0] === 0xff;
    const text = given.bytes.toString(isUtf16 ? 'utf16le' : 'latin1');
    const numbered = text.replaceAll(/<(\d+)>/g, (_, line: string) => numberAt(file, Number(line)));
    const refused = await args.send(Buffer.from(numbered, isUtf16 ? 'utf16le' : 'latin1'));
    const taken = await args.taken();
    let people = 0;
    for (const [index, line] of given.lines.entries()) {
      const [, id] = /<(\d+)>/.exec(line) ?? [];
      if (id === undefined) continue;
      people += 1;
      const isTaken = taken.has(numberAt(file, Number(id)));
      // One or the other, and nobody of a file that was refused as a whole.
      if (isTaken === (refused === null || refused.has(index + 1)) && (isTaken || refused !== null)) {
        throw new Error(
          `line ${index + 1} is ${isTaken ? 'taken and refused' : 'lost'}: ${JSON.stringify(line)}`,
        );
      }
      if (isTaken) kept += 1;
    }
    seen += people;
  });
  // Other lists in each round.
  let { seed = Date.now() } = { ...fc.readConfigureGlobal() };
  for (; seen < linesOfDoor; seed += 1) {
    await fc.assert(property, { numRuns: 5, endOnFailure: true, seed });
  }
  return kept;
}

const timeout = Math.max(300_000, linesOfDoor * 100);
const refusedOf = (lines: ReadonlyArray<{ line: number }>) => new Set(lines.map(({ line }) => line));

const refusals = z.object({
  data: z.object({ rows: z.int(), refused: z.array(z.object({ line: z.int() })) }),
});

test.each(Object.entries(doors))(
  'an import of %s over REST takes or names each line',
  { timeout },
  async (_, door) => {
    const acme = await organization();
    const kept = await everyLine(door, {
      async send(bytes) {
        const { status, json } = await sendList({ client }, acme, door, bytes);
        if (status === 422) return null;
        expect(status).toBe(200);
        return refusedOf(refusals.parse(json).data.refused);
      },
      taken: () => numbersIn(db, door.table, acme.id),
    });
    expect(kept).toBeGreaterThan(0);
  },
);

const faults = z.object({ faults: z.array(z.object({ line: z.int() })) });

describe('on the command line', async () => {
  const { db: own, organizationId, run } = await listCommands();

  test.each(Object.entries(doors))(
    'an import of %s takes or names each line',
    { timeout },
    async (_, door) => {
      const isScrubList = door.table === 'scrub_list_numbers';
      // The files of the test differ in size.
      const command = [...door.command, '--json', ...(isScrubList ? ['--force'] : [])];
      const kept = await everyLine(door, {
        async send(bytes) {
          const { status, out } = await run(command, bytes);
          return status === 0 ? refusedOf(faults.parse(JSON.parse(out)).faults) : null;
        },
        taken: () => numbersIn(own, door.table, organizationId),
      });
      // Most of these lists are refused as a whole.
      expect(kept).toBeGreaterThanOrEqual(isScrubList ? 0 : 1);
    },
  );
});

async function numbersIn(
  from: typeof db,
  table: Door['table'],
  organizationId: string,
): Promise<Set<string>> {
  const { rows } = await sql<{ phone_number: string }>`
    select phone_number from ${sql.table(table)} where organization_id = ${organizationId}`.execute(from);
  return new Set(rows.map((row) => row.phone_number));
}
