import { describe, expect, test } from 'vitest';
import { settingsFaults } from '../settings-faults.ts';
import { twilioSettings } from './settings.ts';

const accountSid = `AC${'0'.repeat(32)}`;
const other = `AC${'1'.repeat(32)}`;
const publicUrl = 'https://calls.example.com';
const twilio = { accountSid, authToken: 'of-the-environment', from: '+15550001111' };

const read = (
  settings: Record<string, unknown>,
  environment: Record<string, string> = {},
  installation: object = { twilio },
) => twilioSettings({ name: 'twilio eu', settings }, { publicUrl, ...installation }, environment);

describe('the settings of an account', () => {
  test('are those of the environment', () => {
    expect(read({})).toMatchObject({
      accountSid,
      authToken: 'of-the-environment',
      apiKey: null,
      fromPhone: '+15550001111',
      eventsUrl: 'https://calls.example.com/provider-events/twilio%20eu',
      apiUrl: null,
    });
  });

  test('are those of its row if the row names another account, with its secrets in variables', () => {
    const row = {
      account_sid: other,
      auth_token_env: 'TWILIO_AUTH_TOKEN_EU',
      api_key: `SK${'2'.repeat(32)}`,
      api_secret_env: 'TWILIO_API_SECRET_EU',
      from_phone: '+15550002222',
      region: 'ie1',
      edge: 'dublin',
    };
    const environment = { TWILIO_AUTH_TOKEN_EU: 'token', TWILIO_API_SECRET_EU: 'secret' };
    expect(read(row, environment)).toMatchObject({
      accountSid: other,
      authToken: 'token',
      apiKey: { sid: `SK${'2'.repeat(32)}`, secret: 'secret' },
      fromPhone: '+15550002222',
      region: 'ie1',
      edge: 'dublin',
    });
    expect(read(row, {}, {})).toBeNull();
  });

  test.each([
    ['a variable that is not meant for it', { auth_token_env: 'DATABASE_URL' }],
    ['a secret', { auth_token_env: 'f0e1d2c3b4a5968778695a4b3c2d1e0f' }],
    ['an invalid account SID', { account_sid: 'me' }],
    ['a region that would be a host', { region: 'evil.example.com/' }],
    ['a voice without encryption', { voice: { connect: 'stream', url: 'ws://voice.example.com' } }],
  ])('are missing if the row names %s', (_what, row) => {
    expect(read(row, { DATABASE_URL: 'postgres://' })).toBeNull();
  });

  test('are missing without an account', () => {
    expect(read({}, {}, {})).toBeNull();
    expect(read({ account_sid: other }, {}, {})).toBeNull();
  });

  test('do not use the token of one account for another', () => {
    expect(read({ account_sid: other })).toBeNull();
  });
});

describe('settings that are about to be saved', () => {
  test('are checked, and their faults are listed', () => {
    expect(settingsFaults('twilio', { voice: { connect: 'stream', url: 'ws://voice.example.com' } })).toEqual(
      ['voice: url: must be a wss:// address'],
    );
    expect(settingsFaults('twilio', { vioce: {} })).toEqual([expect.stringContaining('vioce')]);
  });

  test('may remove a setting', () => {
    expect(settingsFaults('twilio', { record: true, voice: null })).toEqual([]);
    expect(read({ voice: null })).toMatchObject({ defaults: {} });
  });

  test('are refused for an unknown adapter', () => {
    expect(settingsFaults('another', { anything: 1 })).toEqual([
      expect.stringContaining('there is no adapter another; known adapters are simulator'),
    ]);
  });
});
