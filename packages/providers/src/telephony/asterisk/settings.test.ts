import { expect, test } from 'vitest';
import { settingsFaults } from '../settings-faults.ts';
import { asteriskSettings } from './settings.ts';

const installation = {
  url: 'http://127.0.0.1:8088/',
  user: 'outdial',
  password: 'of-the-environment',
  endpoint: 'PJSIP/{number}@trunk',
  runtime: 'talk@agents',
};
const environment = { ASTERISK_PASSWORD_BERLIN: 'of-berlin', DATABASE_URL: 'not-yours' };
const read = (settings: Record<string, unknown>, from: typeof installation | undefined = installation) =>
  asteriskSettings({ name: 'trunk', settings }, from, environment);

test('takes settings that the row does not have from the environment', () => {
  expect(read({})).toMatchObject({
    url: 'http://127.0.0.1:8088',
    password: 'of-the-environment',
    context: 'outdial',
    machineDetection: null,
    onMachine: 'hang_up',
    records: true,
  });
});

test('treats a removed setting as not set', () => {
  expect(read({ machine_detection: null, caller_id: null })).toMatchObject({
    machineDetection: null,
    callerId: null,
  });
});

test('lets a row describe another host, with its password in a variable that the row names', () => {
  const settings = {
    url: 'https://berlin.test:8089/ari/',
    user: 'me',
    password_env: 'ASTERISK_PASSWORD_BERLIN',
    endpoint: 'PJSIP/{digits}@berlin',
    machine_detection: 'detect',
    record: 'off',
    runtime_hosts: 'voice.test, *.voices.test',
  };
  expect(asteriskSettings({ name: 'berlin', settings }, undefined, environment)).toMatchObject({
    url: 'https://berlin.test:8089',
    password: 'of-berlin',
    machineDetection: '',
    records: false,
    runtime: null,
    runtimeHosts: ['voice.test', '*.voices.test'],
  });
});

test.each([
  [{ password_env: 'DATABASE_URL' }],
  [{ password_env: 'ASTERISK_PASSWORD_NONE' }],
  [{ endpoint: 'PJSIP/trunk' }],
  [{ endpoint: 'PJSIP/{number}@a&PJSIP/9@b' }],
  [{ context: 'out dial' }],
  [{ machine_detection: '1,2)' }],
  [{ caller_id: '"x" <1>' }],
  [{ url: 'ftp://x' }],
])('is null with %j', (settings) => {
  expect(read(settings)).toBeNull();
});

test('lists the faults before a row is saved', () => {
  expect(settingsFaults('asterisk', { endpont: 'PJSIP/{number}@trunk' })).toEqual([
    expect.stringContaining('endpont'),
  ]);
  expect(
    settingsFaults('asterisk', { endpoint: 'PJSIP/{number}@trunk', machine_detection: '1500,900' }),
  ).toEqual([]);
});
