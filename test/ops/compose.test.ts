import { accessSync, constants, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { telephonyEnv } from '@outdial/providers/environment';
import { describeEnv } from '@outdial/runtime';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { composeFaults, readComposeFile } from './compose-file.ts';

const { document, services } = readComposeFile();
const root = fileURLToPath(new URL('../../', import.meta.url));
const composePath = `${root}docker-compose.yml`;
const own = ['migrate', 'api', 'scheduler', 'worker', 'voice', 'outdial'];
/** Set by the file itself: internal addresses, and ports of containers. */
const given = new Set([
  'DATABASE_URL',
  'DATABASE_PASSWORD',
  'REDIS_URL',
  'PUBLIC_URL',
  'HOST',
  'PORT',
  'HEALTH_PORT',
  'HEALTH_HOST',
]);
const variables = describeEnv(telephonyEnv)
  .flatMap((section) => section.variables)
  .filter(({ name }) => !given.has(name));

describe('docker-compose.yml', () => {
  test('conforms to the compose specification', () => {
    expect(composeFaults(document)).toEqual([]);
  });

  test('does not conform if YAML parses a health check as a mapping', () => {
    const mistaken = {
      services: { api: { image: 'outdial', healthcheck: { test: ['CMD', { 'exit(r.ok ? 0': '1)' }] } } },
    };
    expect(composeFaults(mistaken)).toContainEqual(
      expect.stringContaining('/services/api/healthcheck/test/1'),
    );
  });

  // Run `vitest -u` after adding a variable.
  test('passes every documented variable, and every secret also as a file', async () => {
    const lines = variables.flatMap(({ name, description, isSecret }) => {
      const file = `${name}_FILE`;
      const isOftenFile = isSecret || description.includes(file);
      return [name, ...(isOftenFile ? [file] : [])].map((handed) => `    ${handed}: \${${handed}:-}\n`);
    });
    const text = readFileSync(composePath, 'utf8').replace(
      /(?<=# From \.env\.example on;.*\n)(    [A-Z0-9_]+: .*\n)*/,
      lines.join(''),
    );
    await expect(text).toMatchFileSnapshot(composePath);
  });

  test('passes every file that the documentation names as the value of a variable', () => {
    const known = new Set(variables.map(({ name }) => `${name}_FILE`));
    const pages = globSync('docs/**/*.md', { cwd: root }).map((page) =>
      readFileSync(`${root}${page}`, 'utf8'),
    );
    const named = new Set(
      pages
        .join('\n')
        .match(/\b[A-Z0-9_]+_FILE\b/g)
        ?.filter((name) => known.has(name)),
    );
    expect(named).toContain('GATEWAY_SECRET_FILE');
    const handed = Object.keys(services['api']?.environment ?? {});
    expect([...named].filter((name) => !handed.includes(name))).toEqual([]);
  });

  test.each(own)('passes them to %s', (name) => {
    const handed = Object.keys(services[name]?.environment ?? {});
    expect(variables.map((variable) => variable.name).filter((each) => !handed.includes(each))).toEqual([]);
  });

  test('has an example of an own database that names every service that uses it', () => {
    const page = readFileSync(`${root}docs/operations/compose.md`, 'utf8');
    const example = /```yaml\n([^`]*)```/.exec(page)?.[1] ?? '';
    const { services: overridden } = z
      .object({ services: z.record(z.string(), z.unknown()) })
      .parse(parse(example, { merge: true }));
    const using = Object.keys(services).filter(
      (name) => services[name]?.environment['DATABASE_URL'] !== undefined,
    );
    expect(Object.keys(overridden).toSorted()).toEqual(using.toSorted());
  });

  test('keeps recordings in progress in a volume, since a tmpfs counts towards the memory limit', () => {
    const voice = services['voice'];
    expect(voice?.volumes).toContain(voice?.environment['TMPDIR']);
  });

  test('contains no password', () => {
    expect(Object.keys(services['api']?.environment ?? {})).not.toContain('DATABASE_PASSWORD');
    expect(Object.keys(services['postgres']?.environment ?? {})).not.toContain('POSTGRES_PASSWORD');
  });

  test('has health checks that every implementation of compose parses completely', () => {
    for (const name of ['postgres', 'redis', 'api', 'scheduler', 'worker']) {
      const check = services[name]?.healthcheck?.test ?? [];
      expect(check.length).toBeGreaterThan(1);
      expect(check.join('')).not.toMatch(/\s/);
    }
    const file = fileURLToPath(new URL('../../ops/container/health-check.mjs', import.meta.url));
    expect(services['api']?.healthcheck?.test).toEqual(['CMD', '/app/ops/container/health-check.mjs']);
    expect(() => accessSync(file, constants.X_OK)).not.toThrow();
  });
});
