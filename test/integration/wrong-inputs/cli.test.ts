import { expect, test } from 'vitest';
import { listCommands } from '../lists/doors.ts';

const { run } = await listCommands();

const creating = ['campaign', 'create', '--csv', 'list', '--name', 'x', '--agent', 'Anna'];
const create = (list: string, ...more: string[]) => run([...creating, ...more], list);

test('all faults of a list are reported at once, with the masked content of the cell', async () => {
  const { status, err } = await create(
    'phone,name\n12,Ann\ntomorrow,Bob\n,Eve\n+1 415 555 2671 ext. 5,Zoe\n',
  );
  expect(status).toBe(1);
  expect(err.trim().split('\n')).toEqual([
    'outdial: list has no row that can be dialed',
    expect.stringMatching(/line 2: .*("12"|country)/),
    '  line 3: has an invalid phone number; write it like +15550100123 ("••••••ow")',
    '  line 4: has no phone number',
    expect.stringMatching(/line 5: has a phone number with an extension/),
  ]);
});

test.each<[string, string[], RegExp, string?]>([
  [
    'a column that does not exist',
    creating,
    /has no column phone, phone_number.*; it has /,
    'telephone\n+15550100001\n',
  ],
  ['a file that does not exist', creating.with(3, 'gone.csv'), /there is no file gone\.csv/],
  [
    'an agent that does not exist',
    creating.with(7, 'Ana'),
    /no agent Ana; `outdial agent list` has them all/,
  ],
  ['a zone by its abbreviation', [...creating, '--timezone', 'EST'], /'EST' is invalid.*IANA.*America\//],
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
])('%s', async (_, args, message, list = 'phone\n+15550100001\n') => {
  const { status, err } = await run(args, list);
  expect([1, 2]).toContain(status);
  expect(err).toMatch(message);
});

test('an agent file reports every fault with its line and a suggestion', async () => {
  const yaml = 'name: Anna\nprompt: Hello {{name}}\nskills:\n- tipe: transfer\n  exec_order: 1\n';
  const { status, err } = await run(['agent', 'import', 'list'], yaml);
  expect(status).toBe(1);
  expect(err).toContain('line 2: `prompt` is unknown; did you mean `prompts`?');
  expect(err).toContain('line 4: skills.0: `tipe` is unknown; did you mean `type`?');
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
