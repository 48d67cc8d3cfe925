import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createResampler } from '../audio/resampler.ts';
import type { ModelEndpoints } from './endpoints.ts';
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

/** Answers 200 with these bytes, in chunks of an odd length, so that samples and headers are split. */
const gives =
  (type: string, ...parts: readonly Uint8Array[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': type });
    const all = Buffer.concat(parts);
    let at = 0;
    const more = () => {
      if (at >= all.length) return void response.end();
      const length = at < 200 ? 37 : 1_237;
      response.write(all.subarray(at, (at += length)), () => setImmediate(more));
    };
    more();
  };
const says = gives('audio/pcm', bytes);

/** Begins to speak, and then calls `ends`. */
const begins = (ends: (response: ServerResponse) => void) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'audio/pcm' });
  response.write(bytes.subarray(0, 4_801), () => setImmediate(() => ends(response)));
};

/** What is heard of a sentence. */
async function samplesOf(
  endpoints: ModelEndpoints,
  of: Parameters<typeof speak>[1],
  limits: Parameters<typeof speak>[4] = patient,
): Promise<number[]> {
  const samples: number[] = [];
  for await (const chunk of speak(endpoints, of, 'Hello.', never, limits)) samples.push(...chunk);
  return samples;
}

describe('a voice', () => {
  test('returns samples at the rate of the line for any chunks', async () => {
    const { endpoints, asked } = await modelServer({ tts: says });
    expect(await samplesOf(endpoints, { ...settings('tts'), voice: 'anna', speed: 1.1 })).toEqual(heard);
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
    expect(await samplesOf(endpoints, settings('tts', 'spare'))).toEqual(heard);
    expect(names()).toEqual(['tts', 'spare']);
  });

  const short = bytes.subarray(0, 4_800);
  const heardOfShort = () => {
    const own = createResampler(24_000, 8_000);
    return [...own.push(spoken.subarray(0, 2_400)), ...own.end()];
  };
  const text = (value: string) => Buffer.from(value.padEnd(200));
  const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(500, 0x55)]);

  test.each([
    ['JSON', gives('application/json', text('{"error": {"message": "the model is loading"}}'))],
    ['JSON of no known type', gives('application/octet-stream', text('{"audio": "aGVsbG8="}'))],
    ['short JSON of a wrong type', gives('audio/pcm', Buffer.from('{"error": 1}'))],
    [
      'a page',
      gives('text/html; charset=utf-8', text('<!doctype html><html><body>Bad gateway</body></html>')),
    ],
    ['MP3', gives('audio/mpeg', mp3)],
    ['MP3 with a tag', gives('audio/pcm', Buffer.from('ID3\u0004'), mp3)],
    ['Ogg', gives('application/octet-stream', Buffer.from('OggS'), Buffer.alloc(500))],
    [
      'WAV of 8-bit samples',
      gives('audio/wav', wavOf({ rate: 8_000, channels: 1, bits: 8 }), Buffer.alloc(500, 128)),
    ],
    ['WAV without samples', gives('audio/wav', Buffer.from('RIFF0000WAVEfmt '), Buffer.alloc(100))],
  ])('that answers with %s is replaced by the next one, and is not blamed', async (_, answer) => {
    const { endpoints, names } = await modelServer({ tts: answer, spare: says });
    for (let tried = 0; tried < 3; tried += 1) {
      expect(await samplesOf(endpoints, settings('tts', 'spare'))).toEqual(heard);
    }
    expect([names().slice(0, 2), endpoints.down()]).toEqual([['tts', 'spare'], []]);
  });

  test('that answers with what cannot be played is left at once, even if it goes on', async () => {
    const left = Promise.withResolvers<void>();
    const goesOn = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(Buffer.alloc(200_000, 0x55));
      response.once('close', left.resolve);
    };
    // The fallback speaks once the first one is left.
    const speaks = (response: ServerResponse) => void left.promise.then(() => says(response));
    const { endpoints } = await modelServer({ tts: goesOn, spare: speaks });
    expect(await samplesOf(endpoints, settings('tts', 'spare'))).toEqual(heard);
  });

  test.each([
    ['a header', gives('audio/wav', wavOf({ rate: 24_000, channels: 1 }), short)],
    ['a wrong type', gives('audio/pcm', wavOf({ rate: 24_000, channels: 1 }), short)],
    [
      'a description before the samples',
      gives('audio/wav', wavOf({ rate: 24_000, channels: 1, described: true }), short),
    ],
    [
      'a description after the samples',
      gives('audio/wav', wavOf({ rate: 24_000, channels: 1, bytes: short.length }), short, text('LIST')),
    ],
    ['two channels', gives('audio/wav', wavOf({ rate: 24_000, channels: 2 }), twice(short))],
    ['no header, but the type of one', gives('audio/wav', short)],
    ['the rate in its type', gives('audio/pcm;rate=24000', short)],
  ])('that answers with WAV is played: %s', async (_, answer) => {
    const { endpoints } = await modelServer({ tts: answer });
    expect(await samplesOf(endpoints, settings('tts'))).toEqual(heardOfShort());
  });

  test.each([
    ['WAV', gives('audio/wav', wavOf({ rate: 48_000, channels: 1 }), bytes)],
    ['samples', gives('audio/pcm; rate=48000', bytes)],
  ])('that answers with %s of another rate is played at the right speed', async (_, answer) => {
    const { endpoints } = await modelServer({ tts: answer });
    const samples = await samplesOf(endpoints, settings('tts'));
    expect(samples.length).toBeGreaterThan(1_980);
    expect(samples.length).toBeLessThan(2_020);
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
    expect(await samplesOf(endpoints, settings('tts', 'spare'), limits)).toEqual(heard);
    expect(names()).toEqual(['tts', 'spare']);
    expect(refreshedBefore).toEqual([1, 2]);
    expect(state.refreshed).toBeGreaterThan(2);
    expect(state.isStopped).toBe(true);
  });

  test('that does not answer fails when the time is over', async () => {
    const { endpoints } = await modelServer({ tts: silent });
    await expect(samplesOf(endpoints, settings('tts'), { ...patient, silentMs: 50 })).rejects.toMatchObject({
      cause: { message: 'the voice fell silent' },
    });
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
      await expect(samplesOf(endpoints, settings('tts', 'spare'))).rejects.toThrow('other side closed');
    }
    expect(endpoints.down()).toEqual(['tts']);
    expect(await samplesOf(endpoints, settings('tts', 'spare'))).toEqual(heard);
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
        await samplesOf(endpoints, { ...settings('tts', 'spare'), voice: 'nosuch' });
      }
      expect(endpoints.down()).toEqual(down);
    },
  );

  test('that does not end is cut', async () => {
    const { endpoints } = await modelServer({ tts: endless });
    await expect(samplesOf(endpoints, settings('tts'), { ...patient, longestMs: 1_000 })).rejects.toThrow(
      'the voice does not end',
    );
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

/** The header of a WAV file whose length is not known, as of a server that streams. */
function wavOf({
  rate,
  channels,
  bits = 16,
  bytes: length = 0xff_ff_ff_ff,
  described = false,
}: {
  rate: number;
  channels: number;
  bits?: number;
  bytes?: number;
  described?: boolean;
}): Buffer {
  const format = Buffer.alloc(24);
  format.write('fmt ');
  format.writeUInt32LE(16, 4);
  format.writeUInt16LE(1, 8);
  format.writeUInt16LE(channels, 10);
  format.writeUInt32LE(rate, 12);
  format.writeUInt16LE(bits, 22);
  const description = Buffer.from('LIST\u0005\0\0\0hello\0', 'latin1');
  const data = Buffer.from('data\0\0\0\0', 'latin1');
  data.writeUInt32LE(length, 4);
  return Buffer.concat([
    Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'),
    format,
    ...(described ? [description] : []),
    data,
  ]);
}

/** The same samples in two channels. */
function twice(samples: Uint8Array): Buffer {
  const two = Buffer.alloc(samples.length * 2);
  for (let at = 0; at < samples.length; at += 2) two.set([...samples.subarray(at, at + 2), 7, 7], at * 2);
  return two;
}
