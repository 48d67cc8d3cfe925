import { fileURLToPath } from 'node:url';
import {
  authEnv,
  databaseEnv,
  describeEnv,
  engineEnv,
  EnvError,
  httpEnv,
  loadEnv,
  opsEnv,
  queueEnv,
  misspeltVariables,
  renderEnvExample,
} from '@outdial/runtime';
import { describe, expect, test } from 'vitest';
import { adapters } from './registry.ts';
import { telephonyEnv } from './telephony-env.ts';

function faultsOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof EnvError) return error.faults;
    throw error;
  }
  return [];
}

describe('the telephony environment', () => {
  test('takes the secrets of further providers of every adapter from files', () => {
    for (const { name } of adapters) {
      expect(telephonyEnv.furtherSecrets?.test(`${name.toUpperCase()}_SECRET_BERLIN`)).toBe(true);
    }
    expect(telephonyEnv.furtherSecrets?.test('SSL_CERT')).toBe(false);
  });

  test('requires the secret of a gateway that is named', () => {
    expect(faultsOf(() => loadEnv({ telephony: telephonyEnv }, { GATEWAY_URL: 'http://gw' }))).toEqual([
      'GATEWAY_SECRET: is not set, and GATEWAY_URL is',
    ]);
  });

  test.each(adapters.map((adapter) => [adapter.name, adapter] as const))(
    '%s names its own required variables',
    (_, adapter) => {
      const source = { TELEPHONY_PROVIDER: adapter.name };
      expect(faultsOf(() => loadEnv({ telephony: telephonyEnv }, source))).toEqual(
        adapter.requiredVariables.map(
          (name) => `${name}: is not set, and TELEPHONY_PROVIDER is ${adapter.name}`,
        ),
      );
      expect(Object.keys(adapter.environment.variables)).toEqual(
        expect.arrayContaining([...adapter.requiredVariables]),
      );
    },
  );

  test('gives each adapter its own settings, under its name', () => {
    const { telephony } = loadEnv({ telephony: telephonyEnv }, { SIMULATOR_RING_MS: '5' });
    expect(telephony).toMatchObject({ simulator: { ringMs: 5, talkMs: 3_000 }, provider: 'simulator' });
    expect(telephony).toMatchObject({ gateway: undefined, asterisk: undefined, twilio: undefined });
  });
});

test('no process takes the variables of an adapter that it does not know for misspelt ones', () => {
  const given = Object.fromEntries(Object.keys(telephonyEnv.variables).map((name) => [name, 'x']));
  expect(misspeltVariables(given, [])).toEqual([]);
});

describe('.env.example', () => {
  const file = fileURLToPath(new URL('../../../../.env.example', import.meta.url));

  // After a variable is added, `vitest -u` rewrites the file.
  test('lists every variable with its default', async () => {
    await expect(renderEnvExample(telephonyEnv)).toMatchFileSnapshot(file);
  });

  test('examples and defaults are valid themselves', () => {
    const source: Record<string, string> = {};
    for (const { name, defaultText, exampleText } of describeEnv(telephonyEnv).flatMap(
      ({ variables }) => variables,
    )) {
      source[name] = defaultText ?? exampleText ?? '';
    }
    const withSecret = { ...source, JWKS_URL: undefined };
    const parts = { databaseEnv, queueEnv, httpEnv, authEnv, opsEnv, telephonyEnv, engineEnv };
    expect(faultsOf(() => loadEnv(parts, withSecret))).toEqual([]);
  });
});
