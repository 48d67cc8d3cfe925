import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@outdial/db';
import { afterAll } from 'vitest';
import { z } from 'zod';
import { createTestDatabase } from '../../support/database.ts';
import { runOutdial } from './run-outdial.ts';

const failure = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    faults: z.array(z.object({ line: z.number(), message: z.string() })).optional(),
  }),
});

/** The command line on an empty database and in an empty folder, for all tests of a file. */
export async function openCliWorld() {
  const directory = await mkdtemp(join(tmpdir(), 'outdial-cli-'));
  const database = await createTestDatabase({ migrated: false });
  const db = connect({ databaseUrl: database.databaseUrl, poolMax: 1 });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
    await rm(directory, { recursive: true });
  });
  const env = { DATABASE_URL: database.databaseUrl, JWT_SECRET: 'a-secret-for-tests-of-32-characters' };
  /** Runs a command: its words, and then arguments that may have spaces. */
  const outdial = (words: string, ...args: string[]) =>
    runOutdial([...words.split(' '), ...args], { env, directory });
  return {
    directory,
    databaseUrl: database.databaseUrl,
    db,
    outdial,
    answer: async <T>(schema: z.ZodType<T>, words: string, ...args: string[]): Promise<T> => {
      const run = await outdial(words, ...args, '--json');
      if (run.status !== 0) throw new Error(`exit ${run.status}: ${run.err}`);
      return schema.parse(JSON.parse(run.out));
    },
    refusal: async (words: string, ...args: string[]) => {
      const run = await outdial(words, ...args, '--json');
      return { status: run.status, ...failure.parse(JSON.parse(run.err)).error };
    },
    file: async (name: string, lines: readonly string[]): Promise<string> => {
      await writeFile(join(directory, name), `${lines.join('\n')}\n`);
      return name;
    },
  };
}
