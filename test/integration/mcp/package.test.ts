import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { apiWorld } from '../api/api-world.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` };

const { client: api, organization } = await apiWorld();
const acme = await organization();

/** Node 20 has no such function. */
const asOnNode20 = `--import=data:text/javascript,${encodeURIComponent('delete Array.fromAsync')}`;

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outdial-mcp-package-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Packs the server, and returns the path of the archive. */
async function pack(): Promise<string> {
  const folder = await emptyFolder();
  // In a copy, because packing changes the manifest briefly, and other tests read it.
  const copy = join(folder, 'packages/mcp');
  await cp(join(root, 'packages/mcp'), copy, {
    recursive: true,
    filter: (path) => !/\/(node_modules|dist)$/.test(path),
  });
  await symlink(join(root, 'packages/mcp/node_modules'), join(copy, 'node_modules'));
  const beforePacking = 'bin/bootstrap/before-packing.mjs';
  await cp(join(root, beforePacking), join(folder, beforePacking));
  const manifest = await readFile(join(copy, 'package.json'), 'utf8');
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: copy, env });
  expect(await readFile(join(copy, 'package.json'), 'utf8')).toBe(manifest);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  return join(folder, archive ?? 'no archive');
}

test('the server that npm packs is installed in an empty folder without a registry, and works there over both transports', async () => {
  const app = await emptyFolder();
  const flags = ['--offline', '--silent', '--no-audit', '--no-fund', '--prefix', app];
  await run('npm', ['install', ...flags, await pack()], { cwd: app, env });
  expect(await readdir(join(app, 'node_modules/@outdial'))).toEqual(['mcp']);
  const command = join(app, 'node_modules/.bin/outdial-mcp');

  const agentId = await acme.agent();
  const client = new Client({ name: 'test', version: '1' });
  const surroundings = {
    PATH: env.PATH,
    NODE_OPTIONS: asOnNode20,
    OUTDIAL_URL: api.base,
    OUTDIAL_API_KEY: acme.keys.viewer,
  };
  await client.connect(new StdioClientTransport({ command, env: surroundings, cwd: app }));
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('campaign_progress');
  expect(JSON.stringify(await client.callTool({ name: 'list_agents', arguments: {} }))).toContain(agentId);
  const campaign = { name: 'Spring', agent_id: agentId, phone_numbers: ['+15550100001'] };
  const campaign_id = await api.create('POST /api/v1/campaigns', { key: acme.keys.manager, json: campaign });
  const preview = { name: 'preview_start', arguments: { campaign_id } };
  expect(JSON.stringify(await client.callTool(preview))).toContain('people_to_call');

  const server = spawn(command, ['--http', '--port', '0', '--url', api.base], { cwd: app, env });
  const heard = once(server.stderr.setEncoding('utf8'), 'data');
  expect(String(await heard)).toMatch(/^outdial-mcp: listening at http/);
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([0, null]);

  const licenses = await readFile(join(app, 'node_modules/@outdial/mcp/dist/LICENSES.txt'), 'utf8');
  for (const name of ['@modelcontextprotocol/sdk', 'commander', 'zod', 'openapi-fetch']) {
    expect(licenses).toMatch(new RegExp(`^${name} [\\d.]+ \\(.+\\)$`, 'm'));
  }
});
