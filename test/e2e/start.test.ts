import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isLongRun } from '../support/full-run.ts';
import { countsIn, makeFolder, oneLine, processesOf, runStart } from './start.world.ts';

// Completed; busy; busy, then completed; no answer twice, then completed; rejected; answered and hung up by the demo. Two rows are invalid.
const smallList = [
  'phone,name',
  '+12125550100,Ada',
  '+12125550191,Ben',
  'nobody,Cora',
  '+12125550197,Dan',
  '+12125550198,Eva',
  '+12125550193,Finn',
  '+12125550199,Gil',
  '+12125550100,Ada again',
].join('\n');

type Refusal = [what: string, args: string[], env: Record<string, string>, status: number, words: string];

/** One of each kind. The others take the same code paths, and each costs a second of CPU time. */
const kindsOfRefusals: Refusal[] = [
  ['an option that does not exist', ['--colour'], {}, 2, '--colour'],
  ['a list without a phone column', ['--csv', 'odd.csv'], {}, 1, 'odd.csv'],
  [
    'an unreachable database',
    ['--no-demo'],
    { DATABASE_URL: 'postgres://u:pw@127.0.0.1:1/x' },
    1,
    'DATABASE_URL',
  ],
];
const furtherRefusals: Refusal[] = [
  ['a list that is missing', ['--csv', 'missing.csv'], {}, 1, 'missing.csv'],
  ['an empty list', ['--csv', 'empty.csv'], {}, 1, 'empty.csv'],
  ['a wrong environment', [], { SIMULATOR_RING_MS: 'soon' }, 78, 'SIMULATOR_RING_MS'],
  ['an unreachable Redis', ['--no-demo'], { REDIS_URL: 'redis://:pw@127.0.0.1:1' }, 1, 'REDIS_URL'],
];
const refusals = isLongRun ? [...kindsOfRefusals, ...furtherRefusals] : kindsOfRefusals;

// Each test starts Postgres and four processes, some more than once, while other tests use the machine.
describe('npm start', () => {
  test('dials a list to its end, adds it up, ends with 0, and leaves nothing running', async () => {
    const { dataDir, file } = makeFolder();
    const csv = file('small.csv', smallList);
    const { status, out, err } = await runStart([
      '--exit',
      '--port',
      '0',
      '--csv',
      csv,
      '--data-dir',
      dataDir,
    ]).ended;
    expect(err).toBe('');
    expect(countsIn(out)).toEqual({
      completed: 4,
      busy: 1,
      rejected: 1,
      'on the list': 6,
      // 1 completed, 3 busy, 2, 3, 1 rejected and 1 hung up.
      'dials made': 11,
      'rows skipped': 2,
    });
    expect(out).toContain('line 4 has an invalid phone number');
    expect(out).toContain('line 9 repeats the phone number of line 2');
    expect(status).toBe(0);
    expect(existsSync(join(dataDir, 'ready.json'))).toBe(false);
    expect(existsSync(join(dataDir, 'database.json'))).toBe(false);
    expect(processesOf(dataDir)).toEqual([]);
  });

  test('refuses a corrupt directory in one line, and leaves it as it was', async () => {
    const { dataDir } = makeFolder();
    mkdirSync(join(dataDir, 'postgres'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres/PG_VERSION'), 'garbage');
    const { status, out, err } = await runStart(['--no-demo', '--port', '0', '--data-dir', dataDir]).ended;
    expect([status, out, err]).toEqual([1, '', expect.stringMatching(oneLine)]);
    expect(err).toContain('is damaged');
    expect(readFileSync(join(dataDir, 'postgres/PG_VERSION'), 'utf8')).toBe('garbage');
    expect(processesOf(dataDir)).toEqual([]);
  });

  test.each(refusals)(
    'refuses %s in one line, before anything is started',
    async (_what, args, env, status, words) => {
      const { folder, dataDir, file } = makeFolder();
      file('empty.csv', 'phone,name\n');
      file('odd.csv', 'who,where\nAda,here\n');
      const paths = args.map((arg) => (arg.endsWith('.csv') ? join(folder, arg) : arg));
      const ended = await runStart([...paths, '--port', '0', '--data-dir', dataDir], env).ended;
      expect([ended.status, ended.err]).toEqual([status, expect.stringMatching(oneLine)]);
      expect(ended.err).toContain(words);
      expect(ended.err).not.toContain(':pw@');
      expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
      expect(processesOf(dataDir)).toEqual([]);
    },
  );
});
