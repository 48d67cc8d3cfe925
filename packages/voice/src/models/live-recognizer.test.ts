import type { IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { toMuLaw } from '../audio/mu-law.ts';
import { createModelEndpoints } from './endpoints.ts';
import { openLiveRecognizer } from './live-recognizer.ts';
import { json, modelServer } from './model-server.fixture.ts';
import { openSocketServer } from './socket-server.fixture.ts';

const frame = Int16Array.from({ length: 160 }, (_, at) => 100 * at);
const frameOnLine = Buffer.from(toMuLaw(frame));
const never = new AbortController().signal;
const message = z.looseObject({ type: z.string() });

interface Server {
  url: string;
  /** The handshakes, in order. */
  requests: IncomingMessage[];
  /** What each connection got: frames of sound, or the type of a message. */
  got: string[][];
}

/** A server of live recognition. @param on answers a message; `sound`: the bytes since the last utterance */
async function liveServer(
  on: (socket: WebSocket, type: string, sound: number, connection: number) => void,
): Promise<Server> {
  const { server, url } = await openSocketServer();
  const requests: IncomingMessage[] = [];
  const got: string[][] = [];
  server.on('connection', (socket, request) => {
    const connection = requests.push(request);
    const messages: string[] = [];
    got.push(messages);
    let sound = 0;
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        sound += data.length;
        messages.push('sound');
        return on(socket, 'sound', sound, connection);
      }
      const read = message.extend({ audio: z.base64().optional() }).parse(JSON.parse(data.toString('utf8')));
      if (read.audio !== undefined) sound += Buffer.from(read.audio, 'base64').length;
      messages.push(read.type);
      on(socket, read.type, sound, connection);
      if (read.type === 'Finalize' || read.type === 'input_audio_buffer.commit') sound = 0;
    });
  });
  return { url: url.replace('http:', 'ws:'), requests, got };
}

const result = (transcript: string, flags: { is_final?: boolean; from_finalize?: boolean } = {}) =>
  JSON.stringify({ type: 'Results', is_final: false, ...flags, channel: { alternatives: [{ transcript }] } });

/** Deepgram's protocol, which tells words while it hears them. */
const deepgram = () =>
  liveServer((socket, type, sound) => {
    if (type === 'sound' && sound === 160) socket.send(result('how'));
    if (type === 'sound' && sound === 320) socket.send(result('how long?', { is_final: true }));
    if (type === 'Finalize') socket.send(result('', { is_final: true, from_finalize: true }));
  });

function open(url: string, fallbacks: Record<string, string> = {}) {
  const partials: string[] = [];
  const failures: string[] = [];
  const models = createModelEndpoints({
    endpoints: new Map(
      Object.entries({ stt: url, ...fallbacks }).map(([name, at]) => [
        name,
        { name, url: at, key: 'the-key', model: 'nova' },
      ]),
    ),
    nowMs: () => 0,
    onFailure: (endpoint) => failures.push(endpoint),
  });
  const heard = Promise.withResolvers<void>();
  const recognizer = openLiveRecognizer(
    models,
    { endpoint: 'stt', fallbacks: Object.keys(fallbacks), language: 'en-US' },
    (text) => {
      partials.push(text);
      if (text.endsWith('?')) heard.resolve();
    },
  );
  if (recognizer === null) throw new Error('the endpoint is not live');
  onTestFinished(() => recognizer.close());
  return { recognizer, partials, failures, heard: heard.promise };
}

describe('a recognizer that listens while the person speaks', () => {
  test('tells the words of Deepgram as they are spoken, and all of them once the person is silent', async () => {
    const server = await deepgram();
    const { recognizer, partials, heard } = open(`${server.url}/listen`);
    for (let nth = 0; nth < 2; nth += 1) {
      recognizer.hear(frame);
      recognizer.hear(frame);
      if (nth === 0) await heard;
      expect(await recognizer.transcribe(frame, never)).toBe('how long?');
    }
    expect(partials.slice(0, 2)).toEqual(['how', 'how long?']);
    const [request] = server.requests;
    const asked = new URL(request?.url ?? '', 'ws://host').searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      model: 'nova',
      language: 'en-US',
      encoding: 'mulaw',
      sample_rate: '8000',
      interim_results: 'true',
    });
    expect(request?.headers.authorization).toBe('Token the-key');
    expect(server.got).toEqual([['sound', 'sound', 'Finalize', 'sound', 'sound', 'Finalize']]);
  });

  test('speaks the protocol of OpenAI’s transcription sessions', async () => {
    const bytes: number[] = [];
    const server = await liveServer((socket, type, sound) => {
      const send = (event: object) => socket.send(JSON.stringify(event));
      if (type === 'session.update') send({ type: 'session.updated', session: {} });
      if (type !== 'input_audio_buffer.commit') return;
      bytes.push(sound);
      const about = { item_id: `item_${bytes.length}` };
      send({ type: 'input_audio_buffer.committed', ...about });
      send({ type: 'conversation.item.input_audio_transcription.delta', ...about, delta: 'How ' });
      send({
        type: 'conversation.item.input_audio_transcription.completed',
        ...about,
        transcript: 'How long? ',
      });
    });
    const { recognizer } = open(server.url);
    recognizer.hear(frame);
    recognizer.hear(frame);
    expect(await recognizer.transcribe(frame, never)).toBe('How long?');
    recognizer.hear(frame);
    expect(await recognizer.transcribe(frame, never)).toBe('How long?');
    expect(bytes).toEqual([2 * frameOnLine.length, frameOnLine.length]);
    expect(server.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/v1/realtime?intent=transcription', 'Bearer the-key'],
    ]);
  });

  test('gets the whole utterance again on a new connection if the first breaks off', async () => {
    const server = await liveServer((socket, type, sound, connection) => {
      if (connection === 1) socket.terminate();
      else if (type === 'Finalize') {
        socket.send(result(`${sound / 160} frames`, { is_final: true, from_finalize: true }));
      }
    });
    const { recognizer, failures } = open(`${server.url}/listen`);
    recognizer.hear(frame);
    expect(await recognizer.transcribe(Int16Array.from([...frame, ...frame, ...frame]), never)).toBe(
      '3 frames',
    );
    expect(failures).toEqual(['stt']);
    // The connection stays for the next utterance.
    recognizer.hear(frame);
    expect(await recognizer.transcribe(frame, never)).toBe('1 frames');
    expect(server.requests).toHaveLength(2);
  });

  test('is replaced by a fallback that takes requests if it cannot be reached', async () => {
    const requests = await modelServer({ spare: json({ text: 'How long?' }) });
    const refuses = await liveServer((socket) => socket.terminate());
    const { recognizer } = open(`${refuses.url}/listen`, { spare: requests.url('spare') });
    recognizer.hear(frame);
    expect(await recognizer.transcribe(frame, never)).toBe('How long?');
    expect(requests.asked.map(({ path }) => path)).toEqual(['/audio/transcriptions']);
  });

  test('fails if there is no fallback, and is not asked once the call is over', async () => {
    const refuses = await liveServer((socket) => socket.terminate());
    const { recognizer } = open(`${refuses.url}/listen`);
    recognizer.hear(frame);
    await expect(recognizer.transcribe(frame, never)).rejects.toThrow('no endpoint answered');
    recognizer.close();
    const before = refuses.requests.length;
    await expect(recognizer.transcribe(frame, never)).rejects.toThrow('the recognizer is down');
    expect(refuses.requests).toHaveLength(before);
  });
});

test('a recognizer with an http address takes requests', () => {
  expect(() => open('http://127.0.0.1:9/v1')).toThrow('not live');
});
