import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { telephonyEnv } from '@outdial/providers/environment';
import { describeEnv } from '@outdial/runtime';
import { describe, expect, test } from 'vitest';
import { composeFaults, readComposeFile } from './compose-file.ts';

const { document, services } = readComposeFile();
const own = ['migrate', 'api', 'scheduler', 'worker', 'outdial'];
/** Given by the file itself: addresses inside, and ports of containers. */
const given = new Set([
  'DATABASE_URL',
  'DATABASE_PASSWORD',
  'REDIS_URL',
  'PUBLIC_URL',
  'PORT',
  'HEALTH_PORT',
]);
const variables = describeEnv(telephonyEnv)
  .flatMap((section) => section.variables)
  .filter(({ name }) => !given.has(name));

describe('docker-compose.yml', () => {
  test('conforms to the compose specification', () => {
    expect(composeFaults(document)).toEqual([]);
  });

  test('would not conform with a health check that YAML takes for a mapping', () => {
    const mistaken = {
      services: { api: { image: 'outdial', healthcheck: { test: ['CMD', { 'exit(r.ok ? 0': '1)' }] } } },
    };
    expect(composeFaults(mistaken)).toContainEqual(
      expect.stringContaining('/services/api/healthcheck/test/1'),
    );
  });

  test.each(own)('hands every documented variable to %s', (name) => {
    const environment = services[name]?.environment ?? {};
    const handed = variables.filter((variable) => environment[variable.name] === `\${${variable.name}:-}`);
    expect(handed.map((variable) => variable.name)).toEqual(variables.map((variable) => variable.name));
  });

  test('takes secrets as files too, and has none of its own', () => {
    const environment = services['api']?.environment ?? {};
    const secrets = variables.filter(({ isSecret }) => isSecret).map(({ name }) => name);
    expect(secrets).toContain('JWT_SECRET');
    for (const name of secrets) expect(environment).toHaveProperty(`${name}_FILE`, `\${${name}_FILE:-}`);
    expect(environment).not.toHaveProperty('DATABASE_PASSWORD');
    expect(Object.keys(services['postgres']?.environment ?? {})).not.toContain('POSTGRES_PASSWORD');
  });

  test('has health checks that every reader of the file passes on whole', () => {
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
