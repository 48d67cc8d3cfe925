import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { EndpointsFailedError } from './endpoints.ts';
import { json, modelServer, status } from './model-server.fixture.ts';
import { transcribe } from './speech-to-text.ts';

const never = new AbortController().signal;
const second = new Int16Array(8_000).fill(1_000);
const settings = (endpoint: string, ...fallbacks: string[]) => ({ endpoint, fallbacks, language: 'pt-BR' });
/** So that a busy machine answers in time. */
const patient = { answerMs: 600_000 };

describe('a recognizer', () => {
  test('gets a WAV file of the utterance, the language and the terms, and its answer is trimmed', async () => {
    const { endpoints, asked } = await modelServer({ stt: json({ text: ' Bom dia. ' }) });
    const text = await transcribe(
      endpoints,
      { ...settings('stt'), model: 'large', prompt: 'Outdial' },
      second,
      never,
      patient,
    );
    expect(text).toBe('Bom dia.');
    const [one] = asked;
    expect(one).toMatchObject({ path: '/audio/transcriptions', authorization: 'Bearer key of stt' });
    const form = await new Response(one?.body, {
      headers: { 'content-type': one?.contentType ?? '' },
    }).formData();
    expect([form.get('model'), form.get('language'), form.get('prompt')]).toEqual(['large', 'pt', 'Outdial']);
    const file = form.get('file');
    const wav = file instanceof Blob ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0);
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    expect([wav.readUInt16LE(22), wav.readUInt32LE(24)]).toEqual([1, 16_000]);
    expect((wav.length - 44) / 2 / 16_000).toBeCloseTo(1, 1);
  });

  test.each([
    ['[BLANK_AUDIO]', ''],
    [' [ Silence ]\n', ''],
    ['(upbeat music)', ''],
    ['*coughs* ♪♪', ''],
    ['<|nospeech|>', ''],
    ['...', ''],
    ['[MUSIC] Yes, please. (laughs)', 'Yes, please.'],
    ['(555) 012-3456', '(555) 012-3456'],
  ])('that says %j has understood %j', async (text, words) => {
    const { endpoints } = await modelServer({ stt: json({ text }) });
    expect(await transcribe(endpoints, settings('stt'), second, never, patient)).toBe(words);
  });

  test.each([
    ['answers 500', status(500)],
    ['answers with unexpected JSON', json({ words: 'Hello' })],
    ['answers with text that is not JSON', (response: ServerResponse) => void response.end('<html>')],
    [
      'breaks off',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': 100 }).write('{"text": "Hel');
        setImmediate(() => response.destroy());
      },
    ],
    ['never ends its answer', endless],
  ])('that %s is replaced by the next one', async (_, answer) => {
    const { endpoints, names, asked } = await modelServer({ stt: answer, spare: json({ text: 'Hello' }) });
    expect(await transcribe(endpoints, settings('stt', 'spare'), second, never, patient)).toBe('Hello');
    expect(names()).toEqual(['stt', 'spare']);
    expect(asked[1]?.authorization).toBe('Bearer key of spare');
  });

  test('that does not answer in time is replaced by the next one, which gets the full time', async () => {
    const [first, next] = [new AbortController(), new AbortController()];
    const limits = vi.spyOn(AbortSignal, 'timeout');
    onTestFinished(() => limits.mockRestore());
    limits.mockReturnValueOnce(first.signal).mockReturnValueOnce(next.signal);
    const { endpoints, names } = await modelServer({
      stt: () => first.abort(new DOMException('The time is over', 'TimeoutError')),
      spare: json({ text: 'Hello' }),
    });
    expect(await transcribe(endpoints, settings('stt', 'spare'), second, never)).toBe('Hello');
    expect(names()).toEqual(['stt', 'spare']);
    expect(limits.mock.calls).toEqual([[5_000], [5_000]]);
  });

  test('that fails without a fallback is an error that names all endpoints, but no key', async () => {
    const { endpoints } = await modelServer({ stt: status(500), spare: status(401) });
    const failed = transcribe(endpoints, settings('stt', 'spare'), second, never, patient);
    await expect(failed).rejects.toThrow(EndpointsFailedError);
    await expect(failed).rejects.toThrow('no endpoint answered: stt, spare');
  });

  test('is not blamed if the call ends meanwhile', async () => {
    const ended = new AbortController();
    const { endpoints, names } = await modelServer({
      stt: () => ended.abort(),
      spare: json({ text: 'Hello' }),
    });
    for (let tried = 0; tried < 3; tried += 1) {
      await expect(
        transcribe(endpoints, settings('stt', 'spare'), second, ended.signal, patient),
      ).rejects.toThrow('aborted');
    }
    expect(names()).toEqual(['stt']);
    expect(endpoints.down()).toEqual([]);
  });
});

/** A flood of text, for as long as the client reads. */
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"text": "');
  const more = () => {
    while (!response.destroyed && response.write('a'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
}
