#!/usr/bin/env node
/*
 * Pins each image in Dockerfile and docker-compose.yml to the current digest of its tag: `node:24-bookworm-slim@sha256:…`. Existing digests are updated.
 * With `--check`, nothing is written; images without a digest, or with an old one, are listed (exit status 1).
 *
 *     node ops/container/pin-images.mjs [--check]
 *
 * Asks Docker Hub, or the registry at REGISTRY_URL, over the standard API (OCI Distribution 1.1). Plain JavaScript without dependencies, because it runs
 * where images are built.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = process.env.OUTDIAL_ROOT ?? fileURLToPath(new URL('../../', import.meta.url));
const registry = process.env.REGISTRY_URL ?? 'https://registry-1.docker.io';
const isCheck = process.argv.includes('--check');
const waitMsAtMost = 30_000;

/** `FROM image` and `image: image`. Our own image has no tag, so it does not match. */
const named =
  /^(?<before>FROM |\s+image: )(?<name>[a-z0-9/._-]+):(?<tag>[\w.-]+)(?<digest>@sha256:[0-9a-f]{64})?/gm;
/** A tag refers to an index with one image per processor architecture. */
const kinds = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

async function digestOf(name, tag) {
  const repository = name.includes('/') ? name : `library/${name}`;
  const url = `${registry}/v2/${repository}/manifests/${tag}`;
  const ask = (headers) =>
    fetch(url, {
      method: 'HEAD',
      headers: { accept: kinds.join(', '), ...headers },
      signal: AbortSignal.timeout(waitMsAtMost),
    });
  let answer = await ask({});
  if (answer.status === 401) answer = await ask({ authorization: `Bearer ${await tokenFor(answer)}` });
  const digest = answer.headers.get('docker-content-digest') ?? '';
  if (!answer.ok || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    throw new Error(`${registry} names no digest for ${name}:${tag} (status ${answer.status})`);
  }
  return digest;
}

/** Gets an anonymous token, which is enough for public images. The refusal names the token server (RFC 6750). */
async function tokenFor(refusal) {
  const challenge = refusal.headers.get('www-authenticate') ?? '';
  const { realm, ...rest } = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
  );
  if (!URL.canParse(realm)) {
    throw new Error(`${registry} requires a token and does not name a token server`);
  }
  const url = new URL(realm);
  for (const key of ['service', 'scope']) if (rest[key] !== undefined) url.searchParams.set(key, rest[key]);
  const answer = await fetch(url, { signal: AbortSignal.timeout(waitMsAtMost) });
  if (!answer.ok) throw new Error(`${url.origin} refused a token (status ${answer.status})`);
  const { token, access_token: other } = await answer.json();
  return token ?? other;
}

const known = new Map();
let stale = 0;
try {
  for (const file of ['Dockerfile', 'docker-compose.yml']) {
    const path = `${root}/${file}`;
    const text = readFileSync(path, 'utf8');
    for (const { groups } of text.matchAll(named)) {
      const image = `${groups.name}:${groups.tag}`;
      if (!known.has(image)) known.set(image, await digestOf(groups.name, groups.tag));
      const now = `@${known.get(image)}`;
      if (groups.digest === now) continue;
      stale += 1;
      process.stdout.write(
        `${file}: ${image}${now}${groups.digest === undefined ? '' : `, was ${groups.digest}`}\n`,
      );
    }
    const pinned = text.replace(
      named,
      (_, before, name, tag) => `${before}${name}:${tag}@${known.get(`${name}:${tag}`)}`,
    );
    if (!isCheck) writeFileSync(path, pinned);
  }
  if (stale === 0) process.stdout.write('every image is pinned to the current digest of its tag\n');
  process.exitCode = isCheck && stale > 0 ? 1 : 0;
} catch (error) {
  const why = error.cause?.code ?? error.cause?.message;
  process.stderr.write(
    `outdial: nothing was pinned further: ${error.message}${why === undefined ? '' : ` (${why})`}\n`,
  );
  process.exitCode = 2;
}
