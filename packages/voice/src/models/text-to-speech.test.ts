import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createResampler } from '../audio/resampler.ts';
import { modelServer, silent, status } from './model-server.fixture.ts';
import { speak } from './text-to-speech.ts';

const never = new AbortController().signal;
const settings = (endpoint: string, ...fallbacks: string[]) => ({ endpoint, fallbacks });
/** So that a busy machine answers in time. */
const patient = { silentMs: 600_000, longestMs: 180_000 };

/** Limits whose time passes when the test says so. `refreshed`: how often the time began again. */
function silenceByHand() {
  const state = { refreshed: 0, isStopped: false, pass: (): void => undefined };
  const startTimer = (onSilence: () => void) => {
    state.pass = onSilence;
    return { refresh: () => void state.refreshed++, stop: () => void (state.isStopped = true) };
  };
  return { state, limits: { ...patient, startTimer } };
}

/** A tone of half a second at the rate of speech models. */
const spoken = Int16Array.from(
  { length: 12_000 },
  (_, at) => 8_000 * Math.sin((2 * Math.PI * 300 * at) / 24_000),
);
const bytes = Buffer.from(spoken.buffer);
const resampler = createResampler(24_000, 8_000);
const heard = [...resampler.push(spoken), ...resampler.end()];

/** In chunks of an odd length, so that samples are split. */
const says = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'audio/pcm' });
  let at = 0;
  const more = () => {
    if (at >= bytes.length) return void response.end();
    response.write(bytes.subarray(at, (at += 1_237)), () => setImmediate(more));
  };
  more();
};

/** Begins to speak, and then calls `ends`. */
const begins = (ends: (response: ServerResponse) => void) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'audio/pcm' });
  response.write(bytes.subarray(0, 4_801), () => setImmediate(() => ends(response)));
};

async function samplesOf(speech: AsyncIterable<Int16Array>): Promise<number[]> {
  const samples: number[] = [];
  for await (const chunk of speech) samples.push(...chunk);
  return samples;
}

describe('a voice', () => {
  test('returns samples at the rate of the line for any chunks', async () => {
    const { endpoints, asked } = await modelServer({ tts: says });
    const speech = speak(
      endpoints,
      { ...settings('tts'), voice: 'anna', speed: 1.1 },
      'Hello.',
      never,
      patient,
    );
    expect(await samplesOf(speech)).toEqual(heard);
    expect(asked[0]).toMatchObject({ path: '/audio/speech', authorization: 'Bearer key of tts' });
    expect(JSON.parse(asked[0]?.body.toString() ?? '')).toEqual({
      model: 'model of tts',
      input: 'Hello.',
      voice: 'anna',
      speed: 1.1,
      response_format: 'pcm',
    });
  });

  test.each([
    ['answers 500', status(500)],
    ['ends without audio', (response: ServerResponse) => void response.writeHead(200).end()],
    ['breaks off before any audio', (response: ServerResponse) => void response.destroy()],
  ])('that %s is replaced by the next one, which says all of it', async (_, answer) => {
    const { endpoints, names } = await modelServer({ tts: answer, spare: says });
    const speech = speak(endpoints, settings('tts', 'spare'), 'Hello.', never, patient);
    expect(await samplesOf(speech)).toEqual(heard);
    expect(names()).toEqual(['tts', 'spare']);
  });

  test('that does not answer in time is replaced by the next one, which gets the full time', async () => {
    const { state, limits } = silenceByHand();
    const refreshedBefore: number[] = [];
    const { endpoints, names } = await modelServer({
      tts() {
        refreshedBefore.push(state.refreshed);
        state.pass();
      },
      spare(response) {
        refreshedBefore.push(state.refreshed);
        says(response);
      },
    });
    const speech = speak(endpoints, settings('tts', 'spare'), 'Hello.', never, limits);
    expect(await samplesOf(speech)).toEqual(heard);
    expect(names()).toEqual(['tts', 'spare']);
    expect(refreshedBefore).toEqual([1, 2]);
    expect(state.refreshed).toBeGreaterThan(2);
    expect(state.isStopped).toBe(true);
  });

  test('that does not answer fails when the time is over', async () => {
    const { endpoints } = await modelServer({ tts: silent });
    const speech = speak(endpoints, settings('tts'), 'Hello.', never, { ...patient, silentMs: 50 });
    await expect(samplesOf(speech)).rejects.toMatchObject({ cause: { message: 'the voice fell silent' } });
  });

  test.each([
    ['breaks off', begins((response) => response.destroy()), 'other side closed'],
    ['falls silent', begins(silent), 'the voice fell silent'],
  ])(
    'that %s in the middle of a sentence is an error, because a second voice would be worse',
    async (_, answer, error) => {
      const { endpoints, names } = await modelServer({ tts: answer, spare: says });
      const { state, limits } = silenceByHand();
      const got: number[] = [];
      const listening = (async () => {
        for await (const chunk of speak(endpoints, settings('tts', 'spare'), 'Hello.', never, limits)) {
          got.push(...chunk);
          if (error === 'the voice fell silent') state.pass();
        }
      })();
      await expect(listening).rejects.toThrow(error);
      expect(got.length).toBeGreaterThan(0);
      expect(names()).toEqual(['tts']);
    },
  );

  test('that repeatedly breaks off in the middle of a sentence is skipped for a while', async () => {
    const { endpoints, names } = await modelServer({
      tts: begins((response) => response.destroy()),
      spare: says,
    });
    for (let tried = 0; tried < 3; tried += 1) {
      await expect(
        samplesOf(speak(endpoints, settings('tts', 'spare'), 'Hello.', never, patient)),
      ).rejects.toThrow('other side closed');
    }
    expect(endpoints.down()).toEqual(['tts']);
    expect(await samplesOf(speak(endpoints, settings('tts', 'spare'), 'Hello.', never, patient))).toEqual(
      heard,
    );
    expect(names()).toEqual(['tts', 'tts', 'tts', 'spare']);
  });

  test.each([
    [400, []],
    [404, []],
    [429, ['tts']],
    [500, ['tts']],
  ])(
    'that repeatedly answers %i leaves these endpoints down for all organizations: %j',
    async (code, down) => {
      const { endpoints } = await modelServer({ tts: status(code), spare: says });
      for (let tried = 0; tried < 3; tried += 1) {
        await samplesOf(
          speak(endpoints, { ...settings('tts', 'spare'), voice: 'nosuch' }, 'Hello.', never, patient),
        );
      }
      expect(endpoints.down()).toEqual(down);
    },
  );

  test('that does not end is cut', async () => {
    const { endpoints } = await modelServer({ tts: endless });
    const speech = speak(endpoints, settings('tts'), 'Hello.', never, { ...patient, longestMs: 1_000 });
    await expect(samplesOf(speech)).rejects.toThrow('the voice does not end');
  });

  test('is no longer synthesized when the person speaks, which is not a failure', async () => {
    const left = Promise.withResolvers<void>();
    const { endpoints } = await modelServer({
      tts(response) {
        response.on('close', () => left.resolve());
        endless(response);
      },
    });
    const interrupted = new AbortController();
    const listening = (async () => {
      for await (const _ of speak(endpoints, settings('tts'), 'Hello.', interrupted.signal, patient)) {
        interrupted.abort();
      }
    })();
    await expect(listening).rejects.toThrow('aborted');
    await left.promise;
    expect(endpoints.down()).toEqual([]);
  });
});

/** Speaks for as long as the client listens. */
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'audio/pcm' });
  const more = () => {
    while (!response.destroyed && response.write(bytes));
  };
  response.on('drain', more);
  more();
}
