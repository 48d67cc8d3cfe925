import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { EnvFragment } from './fragment.ts';
import { authEnv, databaseEnv, opsEnv, queueEnv } from './fragments.ts';
import { voiceEndpointsEnv } from './voice-endpoints-fragment.ts';
import { readVariableFiles as readFiles } from './variable-files.ts';

/** Providers whose names the operator chooses. */
const providersEnv: EnvFragment<object> = {
  variables: {},
  furtherSecrets: /^(ASTERISK|GATEWAY|TWILIO)_/,
  read: () => ({}),
};

const readVariableFiles = (source: Readonly<Record<string, string | undefined>>) =>
  readFiles(source, [authEnv, databaseEnv, opsEnv, queueEnv, voiceEndpointsEnv, providersEnv]);

const folder = mkdtempSync(join(tmpdir(), 'outdial-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe('a variable that is given as a file', () => {
  test('has the text of the file, without the line end that editors add', () => {
    const env = readVariableFiles({ JWT_SECRET_FILE: file('jwt', 'x'.repeat(40) + '\n'), PORT: '1' });
    expect(env).toMatchObject({ JWT_SECRET: 'x'.repeat(40), PORT: '1' });
  });

  test('may be the secret of a further provider, and no variable of other programs', () => {
    const path = file('secret', 'of-berlin');
    const env = readVariableFiles({ ASTERISK_PASSWORD_BERLIN_FILE: path, SSL_CERT_FILE: '/nowhere' });
    expect(env['ASTERISK_PASSWORD_BERLIN']).toBe('of-berlin');
    expect(env).not.toHaveProperty('SSL_CERT');
    const endpoint = readVariableFiles({ VOICE_ENDPOINT_LOCAL_KEY_FILE: path });
    expect(endpoint['VOICE_ENDPOINT_LOCAL_KEY']).toBe('of-berlin');
  });

  test('is refused if it is missing, empty, too large or set twice, without showing its text', () => {
    const read = () =>
      readVariableFiles({
        JWT_SECRET_FILE: join(folder, 'nothing'),
        GATEWAY_SECRET_FILE: file('empty', '\n'),
        OPS_PASSWORD_FILE: file('large', 'p'.repeat(70_000)),
        TWILIO_AUTH_TOKEN_FILE: file('twice', 'token-in-file'),
        TWILIO_AUTH_TOKEN: 'token-in-variable',
      });
    expect(read).toThrow(
      [
        'the environment is invalid:',
        '  JWT_SECRET_FILE: names a file that cannot be read (ENOENT)',
        '  GATEWAY_SECRET_FILE: names a file that is empty',
        '  OPS_PASSWORD_FILE: names a file that is too large for a value',
        '  TWILIO_AUTH_TOKEN_FILE: is set, and so is TWILIO_AUTH_TOKEN',
      ].join('\n'),
    );
  });
});
