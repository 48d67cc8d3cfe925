import { connect, ensureProvider } from '@outdial/db';
import type { EventReading, TelephonyProvider } from '@outdial/core';
import { createProviderDirectory } from '@outdial/engine';
import { buildProvider, checkRow } from '@outdial/providers';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';
import { otherSecret, secret } from './scripted-gateway.ts';

type Environment = Record<string, string>;

function gateway(name: string, settings: Record<string, unknown>, environment: Environment) {
  return buildProvider(
    { name, adapter: 'gateway', settings: { url: 'https://gw.test', ...settings } },
    { simulator: { ringMs: 0, talkMs: 0 }, publicUrl: 'https://outdial.test' },
    environment,
  );
}

/** The environment variables for the secret of a gateway row. */
function secretOf(name: string, environment: Environment): string {
  const row = { name, adapter: 'gateway', settings: { url: 'https://gw.test' } };
  return checkRow(row, [], environment).secret ?? '';
}

function deliver(to: TelephonyProvider | null, signedWith: string): EventReading['kind'] | undefined {
  const body = JSON.stringify({ event_id: 'e1', type: 'call.speaks', call_id: 'c1' });
  const at = new Date();
  return to?.readEvent?.({
    url: '',
    body,
    headers: {
      'webhook-id': 'e1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(signedWith).sign('e1', at, body),
    },
  }).kind;
}

describe('a gateway', () => {
  const environment = { GATEWAY_SECRET: secret };

  test('can only sign for itself: its signature is invalid for other rows', () => {
    const names = ['berlin', 'paris', 'gateway'];
    const secrets = names.map((name) => (name === 'gateway' ? secret : secretOf(name, environment)));
    expect(new Set(secrets).size).toBe(3);
    for (const [at, name] of names.entries()) {
      const heard = secrets.map((one) => deliver(gateway(name, {}, environment), one));
      expect(heard).toEqual(names.map((_, other) => (other === at ? 'ignored' : 'unauthenticated')));
    }
  });

  test('may have a secret in its own variable, but not in that of the installation', () => {
    const own = { ...environment, GATEWAY_SECRET_OSLO: otherSecret };
    const oslo = gateway('oslo', { secret_env: 'GATEWAY_SECRET_OSLO' }, own);
    expect([otherSecret, secret].map((one) => deliver(oslo, one))).toEqual(['ignored', 'unauthenticated']);
    expect(gateway('oslo', { secret_env: 'GATEWAY_SECRET' }, own)).toBeNull();
  });

  test.each<[string, string, Record<string, unknown>, Environment, Environment]>([
    ['gateway', 'the installation', {}, {}, { GATEWAY_SECRET: otherSecret, GATEWAY_SECRET_PREVIOUS: secret }],
    ['berlin', 'its row', {}, {}, { GATEWAY_SECRET: otherSecret, GATEWAY_SECRET_PREVIOUS: secret }],
  ])('%s takes events of the secret before while that of %s rotates', (name, _, settings, more, after) => {
    const before = name === 'gateway' ? secret : secretOf(name, environment);
    const now = name === 'gateway' ? otherSecret : secretOf(name, after);
    const rotating = gateway(name, settings, { ...more, ...after });
    expect([before, now].map((one) => deliver(rotating, one))).toEqual(['ignored', 'ignored']);
    const { GATEWAY_SECRET_PREVIOUS: _previous, ...rotated } = after;
    expect(deliver(gateway(name, settings, rotated), before)).toBe('unauthenticated');
  });

  test('that shares its secret with another is skipped, with a log line', async () => {
    const { databaseUrl } = await useTestDatabase();
    const db = connect({ databaseUrl });
    onTestFinished(() => db.destroy());
    for (const name of ['one', 'two', 'three']) await ensureProvider(db, { name, adapter: 'gateway' });
    const shared: string[][] = [];
    const directory = createProviderDirectory({
      db,
      build: ({ name }) =>
        gateway(
          name,
          { secret_env: name === 'three' ? 'GATEWAY_SECRET_B' : 'GATEWAY_SECRET_A' },
          { GATEWAY_SECRET_A: secret, GATEWAY_SECRET_B: otherSecret },
        ),
      onSharedSecret: (...names) => shared.push(names),
    });
    await directory.refresh();
    expect([...directory.providers.keys()]).toEqual(['one', 'three']);
    expect(shared).toEqual([['two', 'one']]);
  });
});

describe('a row that cannot work is refused', () => {
  const row = (settings: Record<string, unknown>) => ({ name: 'berlin', adapter: 'gateway', settings });
  const url = 'https://gw.test';

  test.each<[string, Record<string, unknown>, Environment, RegExp]>([
    ['without a url', {}, { GATEWAY_SECRET: secret }, /no url/],
    ['without a secret', { url }, {}, /no secret/],
    ['with a secret that is too short', { url }, { GATEWAY_SECRET: 'whsec_c2hvcnQ=' }, /no secret/],
    ['with a url of no server', { url: 'file:///etc/passwd' }, { GATEWAY_SECRET: secret }, /cannot be read/],
    [
      'with a variable without the prefix of secrets',
      { url, secret_env: 'JWT_SECRET' },
      { JWT_SECRET: secret },
      /cannot be read/,
    ],
  ])('%s', (_, settings, environment, fault) => {
    expect(checkRow(row(settings), [], environment).faults.join()).toMatch(fault);
    expect(buildProvider(row(settings), {}, environment)).toBeNull();
  });

  test("with another's secret", () => {
    const settings = { url, secret_env: 'GATEWAY_SECRET_PARIS' };
    const paris = { name: 'paris', adapter: 'gateway', settings };
    expect(checkRow(row(settings), [paris], { GATEWAY_SECRET_PARIS: secret }).faults.join()).toMatch(
      /is the secret of paris/,
    );
  });

  test('and a valid one is not', () => {
    expect(checkRow(row({ url }), [], { GATEWAY_SECRET: secret })).toMatchObject({ faults: [], hints: [] });
    const own = checkRow(row({ url, secret_env: 'GATEWAY_SECRET_BERLIN' }), [], {});
    expect(own).toMatchObject({ faults: [], hints: [expect.stringContaining('GATEWAY_SECRET_BERLIN')] });
  });
});
