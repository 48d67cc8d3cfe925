import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

/** A registry like Docker Hub, which requires a token but issues one to anyone. */
async function startRegistry(digests: Record<string, string>): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://registry');
    if (url.pathname === '/token') {
      const scope = url.searchParams.get('scope') ?? '';
      return response.end(JSON.stringify({ token: `for ${scope}` }));
    }
    const [, repository = '', tag = ''] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(url.pathname) ?? [];
    const scope = `repository:${repository}:pull`;
    if (request.headers.authorization !== `Bearer for ${scope}`) {
      const realm = `Bearer realm="${address()}/token",service="registry",scope="${scope}"`;
      return response.writeHead(401, { 'www-authenticate': realm }).end();
    }
    const found = digests[`${repository}:${tag}`];
    const isIndex = request.headers.accept?.includes('image.index') === true;
    if (found === undefined || !isIndex) return response.writeHead(404).end();
    return response.writeHead(200, { 'docker-content-digest': found }).end();
  });
  // A server that listens on TCP has such an address.
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return address();
}

function copy() {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-pin-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of ['Dockerfile', 'docker-compose.yml']) copyFileSync(join(root, file), join(folder, file));
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  async function pin(registry: string, ...args: string[]): Promise<{ status: unknown; out: string }> {
    const env = { OUTDIAL_ROOT: folder, REGISTRY_URL: registry };
    const program = join(root, 'ops/container/pin-images.mjs');
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env });
      return { status: 0, out: stdout };
    } catch (error) {
      // execFile rejects with the exit status and what was printed.
      const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
      return { status: code, out: stdout + stderr };
    }
  }
  return { read, pin };
}

const today = {
  'library/node:24-bookworm-slim': digest('a'),
  'library/postgres:18': digest('b'),
  'library/redis:7': digest('c'),
};

test('every image is named with a digest', () => {
  const { read } = copy();
  const images =
    `${read('Dockerfile')}${read('docker-compose.yml')}`.match(/^(?:FROM| +image:) \w+:.*$/gm) ?? [];
  expect(images).toHaveLength(5);
  for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}(?: AS \w+)?$/);
});

test('every image of the Dockerfile and the compose file gets the digest of its tag, and later the new one', async () => {
  const { read, pin } = copy();
  const registry = await startRegistry(today);
  expect(await pin(registry, '--check')).toMatchObject({ status: 1 });
  expect(read('Dockerfile')).not.toContain(digest('a'));
  expect(await pin(registry)).toMatchObject({ status: 0 });
  const pinned = read('Dockerfile');
  expect(pinned.match(/^FROM .*$/gm)).toEqual([
    `FROM node:24-bookworm-slim@${digest('a')} AS console`,
    `FROM node:24-bookworm-slim@${digest('a')} AS build`,
    `FROM node:24-bookworm-slim@${digest('a')}`,
  ]);
  expect(read('docker-compose.yml').match(/^ +image: \w+:.*$/gm)).toEqual([
    `    image: postgres:18@${digest('b')}`,
    `    image: redis:7@${digest('c')}`,
  ]);
  expect(await pin(registry, '--check')).toMatchObject({ status: 0 });

  const later = await startRegistry({ ...today, 'library/node:24-bookworm-slim': digest('d') });
  expect(await pin(later, '--check')).toMatchObject({ status: 1 });
  expect(await pin(later)).toMatchObject({ status: 0 });
  expect(read('Dockerfile')).toBe(pinned.replaceAll(digest('a'), digest('d')));
});

test('an unreachable registry or an unknown tag is reported in one line, and no file changes', async () => {
  const { read, pin } = copy();
  const before = read('docker-compose.yml');
  expect(await pin('http://127.0.0.1:9')).toEqual({
    status: 2,
    out: expect.stringMatching(/^outdial: nothing was pinned further: fetch failed .*\n$/) as unknown,
  });
  const { 'library/redis:7': _, ...others } = today;
  const { status, out } = await pin(await startRegistry(others));
  expect({ status, out }).toMatchObject({
    status: 2,
    out: expect.stringContaining('names no digest for redis:7') as unknown,
  });
  expect(read('docker-compose.yml')).toBe(before);
});
