import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, createOrganization, createUser } from '@outdial/db';
import { afterAll, expect, test } from 'vitest';
import { workbook } from '../../../packages/sheets/src/workbook.fixture.ts';
import { connect } from '@outdial/db';
import { useTestDatabase } from '../../support/database.ts';
import { runOutdial } from '../cli/run-outdial.ts';

const { databaseUrl } = await useTestDatabase();
const db = connect({ databaseUrl, applicationName: 'wrong-inputs' });
const directory = await mkdtemp(join(tmpdir(), 'outdial-wrong-'));
afterAll(async () => {
  await db.destroy();
  await rm(directory, { recursive: true, force: true });
});
const organizationId = await createOrganization(db, { name: 'Acme' });
await createUser(db, {
  organizationId,
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'L',
  role: 'admin',
});
await createAgent(db, { organizationId, name: 'Anna', config: {} });
await db
  .insertInto('providers')
  .values({ name: 'simulator', adapter: 'simulator' })
  .onConflict((c) => c.doNothing())
  .execute();

const run = (...args: string[]) => runOutdial(args, { directory, env: { DATABASE_URL: databaseUrl } });

async function file(name: string, content: string | Buffer): Promise<string> {
  await writeFile(join(directory, name), content);
  return name;
}

const create = async (csv: string, ...more: string[]) =>
  run(
    'campaign',
    'create',
    '--csv',
    await file('people.csv', csv),
    '--name',
    'x',
    '--agent',
    'Anna',
    ...more,
  );

test('all faults of a list are reported at once, with the masked content of the cell', async () => {
  const { status, err } = await create(
    'phone,name\n12,Ann\ntomorrow,Bob\n,Eve\n+1 415 555 2671 ext. 5,Zoe\n',
  );
  expect(status).toBe(1);
  expect(err.trim().split('\n')).toEqual([
    'outdial: people.csv has no row that can be dialed',
    expect.stringMatching(/line 2: .*("12"|country)/),
    '  line 3: has an invalid phone number; write it like +15550100123 ("••••••ow")',
    '  line 4: has no phone number',
    expect.stringMatching(/line 5: has a phone number with an extension/),
  ]);
});

test.each<[string, string[], RegExp]>([
  [
    'a column that does not exist',
    ['campaign', 'create', '--csv', 'no-phone.csv', '--name', 'x', '--agent', 'Anna'],
    /has no column phone, phone_number.*; it has /,
  ],
  [
    'a file that does not exist',
    ['campaign', 'create', '--csv', 'gone.csv', '--name', 'x', '--agent', 'Anna'],
    /there is no file gone\.csv/,
  ],
  [
    'an agent that does not exist',
    ['campaign', 'create', '--csv', 'good.csv', '--name', 'x', '--agent', 'Ana'],
    /no agent Ana; `outdial agent list` has them all/,
  ],
  [
    'a zone by its abbreviation',
    ['campaign', 'create', '--csv', 'good.csv', '--name', 'x', '--agent', 'Anna', '--timezone', 'EST'],
    /'EST' is invalid.*IANA.*America\//,
  ],
  ['a misspelled option', ['suppress', 'list', '--organisation', 'Acme'], /unknown option '--organisation'/],
  ['a misspelled command', ['campaing', 'create'], /unknown command 'campaing'[\s\S]*campaign/],
  [
    'a number without its country',
    ['suppress', 'add', '415 555 2671', 'x', '+15550100001'],
    /2 of 3 numbers cannot be read; none was added\n {2}number 1: .*--country.*\n {2}number 2: /,
  ],
  [
    'a number that can be read in two ways',
    ['suppress', 'add', '491713920012', '--country', 'DE'],
    /\+49 ••••••••12 with its country code, or \+49 ••••••••••12 .*--numbers/,
  ],
  [
    'two numbers at once',
    ['suppress', 'add', '030 23125012/13', '--country', 'DE', '--numbers', 'national'],
    /two phone numbers, \+49 ••••••••12 and \+49 ••••••••13/,
  ],
  [
    'a notation that does not exist',
    ['suppress', 'add', '1', '--numbers', 'local'],
    /international, national/,
  ],
  [
    'a role that does not exist',
    [
      'user',
      'create',
      '--email',
      'b@example.com',
      '--first-name',
      'B',
      '--last-name',
      'C',
      '--role',
      'owner',
    ],
    /admin, manager, member/,
  ],
  ['an organization that does not exist', ['agent', 'list', '--org', 'Acmee'], /no organization Acmee/],
  [
    'an invalid pace',
    ['provider', 'set', 'simulator', '--calls-per-second', 'fast'],
    /'fast' is invalid.*number from/,
  ],
  ['a setting that the adapter does not have', ['provider', 'set', 'simulator', '--set', 'ring=5'], /ring/],
  [
    'an adapter that does not exist',
    ['provider', 'set', 'mine', '--adapter', 'twillio'],
    /twillio.*(twilio|adapter)/,
  ],
])('%s', async (_, args, message) => {
  await file('good.csv', 'phone,name\n+15550100001,Ann\n');
  await file('no-phone.csv', 'telephone,name\n+15550100001,Ann\n');
  const { status, err } = await run(...args);
  expect([1, 2]).toContain(status);
  expect(err).toMatch(message);
});

test('an agent file reports every fault with its line and a suggestion', async () => {
  const yaml = 'name: Anna\nprompt: Hello {{name}}\nskills:\n- tipe: transfer\n  exec_order: 1\n';
  const { status, err } = await run('agent', 'import', await file('agent.yaml', yaml));
  expect(status).toBe(1);
  expect(err).toContain('line 2: `prompt` is unknown; did you mean `prompts`?');
  expect(err).toContain('line 4: skills.0: `tipe` is unknown; did you mean `type`?');
});

test('lists with semicolons and workbooks are read like any other', async () => {
  const semicolons = await create('phone;name\n+15550100001;Ann\n+15550100002;Bob\n');
  expect(semicolons).toMatchObject({ status: 0, out: expect.stringContaining('2 numbers') as unknown });
  const sheet = await file(
    'people.xlsx',
    workbook([
      ['phone', 'name'],
      ['+15550100003', 'Ann'],
    ]),
  );
  const imported = await run('campaign', 'create', '--csv', sheet, '--name', 'x', '--agent', 'Anna');
  expect(imported).toMatchObject({ status: 0, out: expect.stringContaining('1 numbers') as unknown });
});

test('a campaign is created with warnings about probable mistakes, in terms of the options', async () => {
  const { status, out } = await create(
    'phone\n+15550100001\n',
    '--start-time',
    '21:00',
    '--end-time',
    '09:00',
  );
  expect(status).toBe(0);
  expect(out.split('\n').filter((line) => line.startsWith('warning: '))).toEqual([
    'warning: People are called before 08:00 or after 21:00 (21:00 to 09:00): set --start-time and --end-time, such as 09:00 and 18:00',
    expect.stringMatching(
      /^warning: The campaign has no time zone of its own, .*: set --timezone, such as America\/New_York$/,
    ),
  ]);
});

test.each([
  ['a country by its name', ['--country', 'Germany'], 'Must be a two-letter country code, such as US or DE.'],
  ['no lines at all', ['--max-concurrent-calls', '0'], 'Input should be greater than or equal to 1'],
])('%s', async (_, options, message) => {
  const { status, err } = await create('phone\n+15550100001\n', ...options);
  expect(status).toBe(2);
  expect(err).toContain(message);
});
