import { describe, expect, test } from 'vitest';
import { StartError } from '../start-error.ts';
import { commandLineSettings, stackEnvironment } from './environment.ts';

const secrets = { jwtSecret: 'a-secret-that-was-made-up-for-this-test', opsPassword: 'made-up-password' };

function environment(source: Record<string, string>) {
  return stackEnvironment({ source, secrets, port: null, host: null });
}

describe('stackEnvironment', () => {
  test('generates missing values, and passes on configured ones', () => {
    const made = environment({ SIMULATOR_RING_MS: '5', OPS_USER: '' });
    expect(made.variables).toMatchObject({
      SIMULATOR_RING_MS: '5',
      JWT_SECRET: secrets.jwtSecret,
      OPS_USER: 'ops',
    });
    expect(made.databaseUrl).toBeNull();
    const own = environment({ OPS_PASSWORD: 'chosen-by-me', DATABASE_URL: 'postgres://db/outdial' });
    expect(own.ops).toEqual({ user: 'ops', password: 'chosen-by-me' });
    expect(own.databaseUrl).toBe('postgres://db/outdial');
  });

  test('does not generate a JWT secret if tokens are signed elsewhere', () => {
    expect(environment({ JWKS_URL: 'https://id.example.com/keys' }).variables['JWT_SECRET']).toBeUndefined();
  });

  test('cuts off no call before MAX_CALL_SECONDS', () => {
    const { settings, variables } = environment({});
    expect(settings.telephony.maxCallSeconds).toBe(1_800);
    expect(variables['MAX_CALL_SECONDS']).toBeUndefined();
  });

  test('names variables that were probably misspelt', () => {
    expect(environment({ REDIS_ULR: 'redis://localhost', HOSTNAME: 'web-1' }).misspelt).toEqual([
      { variable: 'REDIS_ULR', meant: 'REDIS_URL' },
    ]);
  });

  test('names faults without values, in one line', () => {
    const faulty = () =>
      environment({ PORT: 'secret-port', DATABASE_URL: 'mysql://u:pw@db', LOG_LEVEL: 'x' });
    expect(faulty).toThrow(StartError);
    expect(faulty).toThrow(
      /^The environment is invalid: DATABASE_URL: [^\n]*; PORT: [^\n]*; LOG_LEVEL: [^\n]*$/,
    );
    expect(faulty).not.toThrow(/secret-port|pw@/);
  });

  test('gives the command line only the settings that it needs', () => {
    const { variables } = environment({
      REDIS_URL: 'redis://r',
      HOME: '/root',
      OPS_PASSWORD: 'chosen-by-me',
    });
    const settings = commandLineSettings({ ...variables, DATABASE_URL: 'postgres://x' });
    expect(settings).toMatchObject({ REDIS_URL: 'redis://r', JWT_SECRET: secrets.jwtSecret });
    expect(Object.keys(settings)).not.toContain('HOME');
    expect(Object.keys(settings)).not.toContain('DATABASE_URL');
    expect(Object.keys(settings)).not.toContain('OPS_PASSWORD');
  });
});
