import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createAgent, createOrganization, createUser } from '@outdial/db';
import { afterAll } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';
import type { ApiWorld, TestOrganization } from '../api/api-world.ts';
import { runOutdial } from '../cli/run-outdial.ts';

/** An import of lists, over REST and on the command line. */
export interface Door {
  path: string;
  /** The table with the numbers that were taken. */
  table: 'campaign_recipients' | 'suppressions' | 'consents' | 'scrub_list_numbers' | 'number_changes';
  /** The columns that it needs besides the phone number, and their cells. */
  columns: Readonly<Record<string, string>>;
  /** The parts that its form needs besides the file. */
  parts: Readonly<Record<string, string>>;
  command: readonly string[];
}

const scrubbed_at = new Date().toISOString();
const at = '2026-01-05T09:00:00Z';

export const doors: Readonly<Record<string, Door>> = {
  campaigns: {
    path: 'campaigns',
    table: 'campaign_recipients',
    columns: {},
    parts: {},
    command: ['campaign', 'create', '--csv', 'list', '--name', 'Spring', '--agent', 'Anna'],
  },
  suppressions: {
    path: 'suppressions',
    table: 'suppressions',
    columns: {},
    parts: {},
    command: ['suppress', 'import', 'list'],
  },
  consents: {
    path: 'consents',
    table: 'consents',
    columns: { basis: 'prior_express', source: 'form', given_at: at },
    parts: {},
    command: ['consent', 'import', 'list'],
  },
  'number changes': {
    path: 'number-changes',
    table: 'number_changes',
    columns: { kind: 'ported', changed_at: at, source: 'registry' },
    parts: {},
    command: ['consent', 'number-changes', 'list'],
  },
  'scrub lists': {
    path: 'scrub-lists',
    table: 'scrub_list_numbers',
    columns: {},
    parts: { name: 'any', source: 'DDV', scrubbed_at, complete: 'false' },
    command: ['scrub-list', 'import', 'any', 'list', '--source', 'DDV', '--scrubbed-at', scrubbed_at],
  },
};

/** Sends a list to an import, with further parts of its form. */
export async function sendList(
  { client }: Pick<ApiWorld, 'client'>,
  acme: TestOrganization,
  { path, parts }: Pick<Door, 'path' | 'parts'>,
  file: string | Buffer,
) {
  const form = new FormData();
  if (path === 'campaigns') {
    form.set('campaign', JSON.stringify({ name: 'Spring', agent_id: await acme.agent() }));
  }
  for (const [name, text] of Object.entries(parts)) form.set(name, text);
  form.set('file', new Blob([new Uint8Array(Buffer.from(file))]), 'list.csv');
  return client.send(`POST /api/v1/${path}/import`, { key: acme.keys.manager, body: form });
}

/** The command line on its own database, with an organization and its agent Anna, and in its own folder. */
export async function listCommands() {
  const { databaseUrl } = await useTestDatabase();
  const db = connect({ databaseUrl, applicationName: 'lists' });
  const directory = await mkdtemp(join(tmpdir(), 'outdial-lists-'));
  afterAll(async () => {
    await db.destroy();
    await rm(directory, { recursive: true, force: true });
  });
  const organizationId = await createOrganization(db, { name: 'Acme' });
  const ada = { email: 'ada@example.com', firstName: 'Ada', lastName: 'L', role: 'admin' } as const;
  await createUser(db, { organizationId, ...ada });
  await createAgent(db, { organizationId, name: 'Anna', config: {} });
  await db.insertInto('providers').values({ name: 'simulator', adapter: 'simulator' }).execute();
  return {
    db,
    organizationId,
    /** Runs a command on this file, whose name is `list`. */
    run: async (args: readonly string[], file: string | Buffer = '') => {
      await writeFile(join(directory, 'list'), file);
      return runOutdial(args, { directory, env: { DATABASE_URL: databaseUrl } });
    },
  };
}
