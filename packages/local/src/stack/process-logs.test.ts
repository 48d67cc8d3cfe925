import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { problemIn, openProcessLogs } from './process-logs.ts';

function setup() {
  const parent = mkdtempSync(join(tmpdir(), 'outdial-logs-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, 'logs');
  const notices: string[] = [];
  const open = () => openProcessLogs({ folder, notice: (text) => notices.push(text), stream: null });
  return { folder, notices, open };
}

const warning = (msg: string, fields: object = {}) => JSON.stringify({ level: 'warn', msg, ...fields });

test("stores every line, readable by its owner only, and the previous start's", () => {
  const { folder, open } = setup();
  for (const word of ['first', 'second', 'third']) {
    const logs = open();
    logs.write('api', word);
    logs.close();
  }
  expect(readdirSync(folder).toSorted()).toEqual(['api.log', 'api.log.1']);
  expect(readFileSync(join(folder, 'api.log'), 'utf8')).toBe('third\n');
  expect(readFileSync(join(folder, 'api.log.1'), 'utf8')).toBe('second\n');
  expect(statSync(join(folder, 'api.log')).mode & 0o777).toBe(0o600);
});

test('rotates a log that grows too large', () => {
  const { folder, open } = setup();
  const logs = open();
  const megabyte = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 50; n++) logs.write('worker', megabyte);
  logs.close();
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(sizes).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThan(23 * 1024 * 1024);
});

test('tells each kind of complaint once, not too many, and none once it is quiet', () => {
  const { notices, open } = setup();
  const logs = open();
  for (let n = 0; n < 100; n++) logs.write('worker', warning('queue lost'));
  for (let n = 0; n < 100; n++) logs.write('worker', warning(`kind ${n}`));
  expect(notices.length).toBeGreaterThan(1);
  expect(notices.length).toBeLessThan(20);
  expect(notices.filter((notice) => notice.includes('queue lost'))).toHaveLength(1);
  const before = notices.length;
  logs.quiet();
  logs.write('api', warning('something new'));
  expect(notices).toHaveLength(before);
  expect(logs.lastProblem('api')).toBe('something new');
  logs.close();
});

test.each([
  ['{"level":"info","msg":"listening"}', null],
  [warning('call closed as unknown', { call_id: 'x' }), null],
  ['{"level":"error","msg":"failed","err":{"message":"no route\\nat x"}}', 'failed: no route'],
  ['worker: the environment is invalid:', 'worker: the environment is invalid:'],
  ['    at listen (node:net:1)', null],
  ['{"level":"error", cut short', null],
])('finds the complaint in %j', (line, complaint) => {
  expect(problemIn(line)).toBe(complaint);
});
