import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { scriptedModel } from '../../support/voice/scripted-model.ts';
import { blockRuns } from './block-runs.ts';
import { pageBlocks } from './page-blocks.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const cli = join(root, 'packages/cli/src/main.ts');

// A few days after the dates of the pages.
const stack = await useFileStack({
  backend: anyBackend(),
  workers: 0,
  schedulers: 0,
  startAt: '2026-03-05T10:00:00-05:00',
});
const acme = await stack.organization();

const blocks = pageBlocks().filter(({ id }) => {
  const how = blockRuns[id];
  return how !== undefined && 'by' in how && how.by === 'test/integration/guides/pages.test.ts';
});

/** The service is running: `npm start` is another terminal's. Everything else is what the page says, in one shell that stops at the first error. */
const preamble = `set -euo pipefail
npm() { if [ "$*" = start ]; then return 0; fi; [ "$1 $2 $3" = "run outdial --" ]; shift 3; outdial "$@"; }
outdial() { INIT_CWD="$PWD" node '${cli}' "$@"; }
curl() { command curl --fail-with-body -s "$@"; }
`;

/** What a reader puts in the place of an ellipsis, or of the usual address. */
const filled: Readonly<Record<string, (text: string) => string>> = {
  'docs/twilio.md#3': (text) => text.replace('AC…', `AC${'0'.repeat(32)}`),
  'docs/voice.md#6': (text) =>
    text.replace('localhost:3000', new URL(stack.baseUrl).host).replace('"…"', `"${acme.agentId}"`),
};

/** Runs the blocks of a page in a folder of their own, in the order of the page. */
async function follow(
  page: string,
  { ids, env = {}, files = {}, input = '' }: FollowOptions = {},
): Promise<{ folder: string; out: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'outdial-page-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // The clone has it.
  await mkdir(join(folder, 'secrets'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const texts = blocks
    .filter((block) => block.page === page && (ids === undefined || ids.includes(block.id)))
    .map(({ id, text }) => filled[id]?.(text) ?? text);
  expect(texts.length).toBeGreaterThan(0);
  const started = run('bash', ['-c', preamble + texts.join('\n')], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATABASE_URL: stack.databaseUrl,
      base: stack.baseUrl,
      key: acme.apiKeys.admin,
      KEY: acme.apiKeys.admin,
      ...env,
    },
  });
  // A command that has failed reads no input.
  started.child.stdin?.on('error', () => undefined).end(input);
  const { stdout, stderr } = await started;
  return { folder, out: stdout + stderr };
}

interface FollowOptions {
  /** Default: all blocks of the page that this test runs. */
  ids?: readonly string[];
  env?: Record<string, string>;
  files?: Record<string, string>;
  input?: string;
}

test('docs/compliance.md: rules, caps, local presence, scrub lists and disclosures', async () => {
  for (const phoneNumber of ['+12125550123', '+12125550124']) {
    const added = await fetch(`${stack.baseUrl}/api/v1/caller-ids`, {
      method: 'POST',
      headers: { 'X-API-Key': acme.apiKeys.manager, 'Content-Type': 'application/json' },
      body: JSON.stringify({ phone_number: phoneNumber }),
    });
    expect(added.status).toBe(200);
  }
  const page = await readFile(join(root, 'docs/compliance.md'), 'utf8');
  const { out } = await follow('docs/compliance.md', {
    files: {
      'registry.csv': 'phone\n+12125550123\n',
      // The file that the page shows.
      'acme.json': /^```json\n(.*?)^```$/ms.exec(page)?.[1] ?? '',
    },
  });
  expect(out).toContain('acme-2027-02');
  expect(out).toContain('us-national-dnc');
  const answer = await fetch(`${stack.baseUrl}/api/v1/organization`, {
    headers: { 'X-API-Key': acme.apiKeys.viewer },
  });
  expect(await answer.json()).toMatchObject({
    data: { person_caps: { gap_seconds: 4 * 3_600, after_conversation_hours: 7 * 24 } },
  });
});

test.each(['docs/asterisk.md', 'docs/twilio.md'])('%s: rows of providers', async (page) => {
  const before = await stack.db.selectFrom('providers').select('name').execute();
  await follow(page);
  const after = await stack.db.selectFrom('providers').select('name').execute();
  expect(after.length).toBe(before.length + 2);
});

test('docs/operations/compose.md: a secret in a file', async () => {
  const { folder } = await follow('docs/operations/compose.md', { env: { GATEWAY_SECRET: 'whsec_x' } });
  expect(await readFile(join(folder, 'secrets/gateway'), 'utf8')).toBe('whsec_x');
  expect(await readFile(join(folder, '.env'), 'utf8')).toBe('GATEWAY_SECRET_FILE=/run/secrets/gateway\n');
});

test('docs/webhooks.md: an endpoint with its secret', async () => {
  expect((await follow('docs/webhooks.md')).out).toMatch(/"secret":"whsec_/);
});

test('docs/voice.md, step 2: an agent is imported and chats with only the language model set, with a warning', async () => {
  const model = await scriptedModel(({ messages }) => ({
    say: messages.some(({ role }) => role === 'assistant') ? 'Thank you.' : 'Hello.',
  }));
  onTestFinished(() => model.close());
  const page = await readFile(join(root, 'docs/voice.md'), 'utf8');
  const file = /```yaml\n(name: Anna\n[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const { out } = await follow('docs/voice.md', {
    ids: ['docs/voice.md#2'],
    env: { VOICE_ENDPOINT_LLM_URL: model.url },
    files: { 'anna.yaml': file },
    input: 'Yes, it came on Monday.\n',
  });
  expect(out).toContain('agent Anna created');
  expect(out).toContain('warning: config.voice.stt.endpoint: the endpoint `stt` does not exist');
  expect(out).toContain('Hello Ada, this is Anna from Acme.');
  expect(out).toContain('Thank you.');
});

test('docs/voice.md: a caller id with its agent', async () => {
  expect((await follow('docs/voice.md', { ids: ['docs/voice.md#6'] })).out).toContain('+15550001111');
});

test('docs/mcp.md: a server over HTTP, which listens', async () => {
  const [block] = pageBlocks().filter(({ id }) => id === 'docs/mcp.md#1');
  // Any free port, because another server may have that of the page.
  const text = block?.text.replace('--port 3333', '--port 0') ?? '';
  const child = spawn(
    'bash',
    ['-c', `${preamble.replace('() { INIT_CWD="$PWD" node', '() { INIT_CWD="$PWD" exec node')}${text}`],
    {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  expect(String((await lines.next()).value)).toMatch(
    /^outdial-mcp: listening at http:\/\/127\.0\.0\.1:\d+\/mcp$/,
  );
});
