import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createAgent, createOrganization, createUser } from '@outdial/db';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type AnyList, anyList } from '../../../packages/sheets/src/any-list.fixture.ts';
import { useTestDatabase } from '../../support/database.ts';
import { isFullRun } from '../../support/full-run.ts';
import { apiWorld } from '../api/api-world.ts';
import { runOutdial } from '../cli/run-outdial.ts';

/** For each import. `npm run long` sends 20,000. */
const linesOfDoor = Number(process.env['LIST_LINES'] ?? (isFullRun ? 600 : 200));

const { client, organization, db } = await apiWorld();

interface Door {
  header: readonly string[];
  fixed?: readonly string[];
  /** The table with the numbers that were taken. */
  table: 'campaign_recipients' | 'suppressions' | 'consents' | 'scrub_list_numbers' | 'number_changes';
  path: string;
  fields?: (agentId: string) => Record<string, string>;
  command: (file: string) => string[];
}

const doors: Record<string, Door> = {
  campaigns: {
    header: ['phone', 'name', 'note'],
    table: 'campaign_recipients',
    path: 'campaigns',
    fields: (agentId) => ({ campaign: JSON.stringify({ name: 'Spring', agent_id: agentId }) }),
    command: (file) => ['campaign', 'create', '--csv', file, '--name', 'Spring', '--agent', 'Anna'],
  },
  suppressions: {
    header: ['phone', 'reason', 'note'],
    table: 'suppressions',
    path: 'suppressions',
    command: (file) => ['suppress', 'import', file],
  },
  consents: {
    header: ['phone', 'basis', 'source', 'given_at', 'text_shown', 'x'],
    fixed: ['prior_express', 'form', '2026-01-05T09:00:00Z'],
    table: 'consents',
    path: 'consents',
    command: (file) => ['consent', 'import', file],
  },
  'number changes': {
    header: ['phone', 'kind', 'changed_at', 'source', 'x', 'y'],
    fixed: ['ported', '2026-01-05T09:00:00Z', 'registry'],
    table: 'number_changes',
    path: 'number-changes',
    command: (file) => ['consent', 'number-changes', file],
  },
  'scrub lists': {
    header: ['phone', 'x', 'y'],
    table: 'scrub_list_numbers',
    path: 'scrub-lists',
    fields: () => ({ name: 'any', source: 'DDV', scrubbed_at: new Date().toISOString(), complete: 'false' }),
    command: (file) => {
      const version = ['--source', 'DDV', '--scrubbed-at', new Date().toISOString()];
      // The files of the test differ in size.
      return ['scrub-list', 'import', 'any', file, ...version, '--force'];
    },
  },
};

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
    header: door.header,
    idOf,
    before: ['"', '\u200B', '\uFEFF', ' '],
    cellsOf: { min: 2, max: 2 },
    ...(door.fixed !== undefined && { fixed: door.fixed }),
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

describe.each(Object.entries(doors))('an import of %s', (_name, door) => {
  test('over REST takes or names each line', { timeout }, async () => {
    const acme = await organization();
    const fields = { ...door.fields?.(await acme.agent()) };
    const refusals = z.object({
      data: z.object({ rows: z.int(), refused: z.array(z.object({ line: z.int() })) }),
    });
    const kept = await everyLine(door, {
      async send(bytes) {
        const form = new FormData();
        for (const [name, value] of Object.entries(fields)) form.set(name, value);
        form.set('file', new Blob([new Uint8Array(bytes)]), 'list.csv');
        const key = acme.keys.manager;
        const answer = await client.send(`POST /api/v1/${door.path}/import`, { key, body: form });
        if (answer.status === 422) return null;
        expect(answer.status).toBe(200);
        return refusedOf(refusals.parse(answer.json).data.refused);
      },
      taken: () => numbersIn(db, door.table, acme.id),
    });
    expect(kept).toBeGreaterThan(0);
  });
});

describe('on the command line', async () => {
  const { databaseUrl } = await useTestDatabase();
  const own = connect({ databaseUrl, applicationName: 'every-line' });
  const directory = await mkdtemp(join(tmpdir(), 'outdial-lists-'));
  afterAll(async () => {
    await own.destroy();
    await rm(directory, { recursive: true, force: true });
  });
  const organizationId = await createOrganization(own, { name: 'Acme' });
  const ada = { email: 'ada@example.com', firstName: 'Ada', lastName: 'L', role: 'admin' } as const;
  await createUser(own, { organizationId, ...ada });
  await createAgent(own, { organizationId, name: 'Anna', config: {} });
  await own.insertInto('providers').values({ name: 'simulator', adapter: 'simulator' }).execute();

  test.each(Object.entries(doors))(
    'an import of %s takes or names each line',
    { timeout },
    async (_, door) => {
      const answer = z.object({ faults: z.array(z.object({ line: z.int() })) });
      const kept = await everyLine(door, {
        async send(bytes) {
          await writeFile(join(directory, 'list.csv'), bytes);
          const env = { DATABASE_URL: databaseUrl };
          const { status, out } = await runOutdial([...door.command('list.csv'), '--json'], {
            directory,
            env,
          });
          return status === 0 ? refusedOf(answer.parse(JSON.parse(out)).faults) : null;
        },
        taken: () => numbersIn(own, door.table, organizationId),
      });
      // Most of these lists are refused as a whole.
      expect(kept).toBeGreaterThanOrEqual(door.table === 'scrub_list_numbers' ? 0 : 1);
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
