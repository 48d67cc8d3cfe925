import { describe, expect, test } from 'vitest';
import { EnvError, loadEnv } from './load-env.ts';
import { voiceEndpointsEnv } from './voice-endpoints-fragment.ts';

const read = (source: Record<string, string>) => {
  try {
    return [...loadEnv({ voice: voiceEndpointsEnv }, source).voice.values()];
  } catch (error) {
    if (error instanceof EnvError) return error.faults;
    throw error;
  }
};

describe('voiceEndpointsEnv', () => {
  test('finds endpoints of any name, with key and model', () => {
    expect(
      read({
        VOICE_ENDPOINT_LLM_URL: 'https://models.example.com/v1/',
        VOICE_ENDPOINT_LLM_KEY: 'k',
        VOICE_ENDPOINT_LLM_MODEL: 'm',
        VOICE_ENDPOINT_MY_KEY_URL: 'http://127.0.0.1:8080',
        VOICE_ENDPOINT_TTS_URL: ' ',
        OTHER: 'x',
      }),
    ).toEqual([
      { name: 'llm', url: 'https://models.example.com/v1', key: 'k', model: 'm' },
      { name: 'my_key', url: 'http://127.0.0.1:8080/v1', key: null, model: null },
    ]);
    expect(read({})).toEqual([]);
  });

  test.each([
    [{ VOICE_ENDPOINT_LLM_KEY: 'k' }, 'VOICE_ENDPOINT_LLM_URL: is not set, and its key or model is'],
    [
      { VOICE_ENDPOINT_LLM_URL: 'ftp://secret-host' },
      'VOICE_ENDPOINT_LLM_URL: must be a url that begins with http:// or https:// or ws:// or wss://',
    ],
    [
      { VOICE_ENDPOINT_LLM_URL: 'http://u:p@host' }, // secretlint-disable-line -- made up
      'VOICE_ENDPOINT_LLM_URL: must not contain a user or password',
    ],
  ])('%j is refused', (source, fault) => {
    expect(read(source)).toEqual([fault]);
  });

  test('faults never quote values', () => {
    const faults = read({ VOICE_ENDPOINT_X_URL: 'nonsense-secret', VOICE_ENDPOINT_X_KEY: 'q'.repeat(5_000) });
    expect(faults).toHaveLength(2);
    expect(JSON.stringify(faults)).not.toMatch(/nonsense|qqq/);
  });

  test('takes no more than fifty', () => {
    const many = Object.fromEntries(
      Array.from({ length: 51 }, (_, index) => [`VOICE_ENDPOINT_E${index}_URL`, 'http://127.0.0.1']),
    );
    expect(read(many)).toEqual(['VOICE_ENDPOINT_<NAME>_URL: names more than 50 endpoints']);
  });
});
