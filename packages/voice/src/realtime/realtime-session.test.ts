import { expect, onTestFinished, test } from 'vitest';
import type { WebSocket } from 'ws';
import type { RealtimePart } from './model-answer.ts';
import { openSocketServer } from '../models/socket-server.fixture.ts';
import { openRealtimeSession, type RealtimeSession } from './realtime-session.ts';

const never = new AbortController().signal;

interface Server {
  session: RealtimeSession;
  /** The client's events of this type, once there are this many. */
  sent: (type: string, count?: number) => Promise<Array<Record<string, unknown>>>;
  send: (type: string, body?: object) => void;
  told: string[];
}

/** A session with a server that the test controls. */
async function talk({ silentMs = 60_000, updates = true, refuses = 0 } = {}): Promise<Server> {
  const { server, url } = await openSocketServer({
    verifyClient: (_info: unknown, done: (isTaken: boolean, status?: number) => void) =>
      done(refuses === 0, refuses),
  });
  const received: Array<Record<string, unknown>> = [];
  let changed = Promise.withResolvers<void>();
  let socket: WebSocket | null = null;
  const send = (type: string, body: object = {}) => socket?.send(JSON.stringify({ type, ...body }));
  server.on('connection', (connected) => {
    socket = connected;
    connected.on('message', (data) => {
      if (!Buffer.isBuffer(data)) return;
      // What a client sends is an object.
      const event = JSON.parse(data.toString('utf8')) as Record<string, unknown>;
      received.push(event);
      if (event['type'] === 'session.update' && updates) send('session.updated');
      changed.resolve();
      changed = Promise.withResolvers();
    });
    send('session.created');
  });
  const told: string[] = [];
  const session = openRealtimeSession(
    {
      url,
      key: null,
      model: null,
      instructions: 'You are Ada.',
      voice: null,
      speed: null,
      transcriptionModel: 'whisper-1',
      language: 'pt-BR',
      tools: [],
      maxTokens: 400,
      silentMs,
    },
    { ready: () => told.push('ready'), failed: (reason) => told.push(reason) },
  );
  onTestFinished(() => session.close());
  return {
    session,
    told,
    send,
    async sent(type, count = 1) {
      for (;;) {
        const found = received.filter((event) => event['type'] === type);
        if (found.length >= count) return found;
        await changed.promise;
      }
    },
  };
}

async function partsOf(parts: AsyncIterable<RealtimePart>): Promise<string[]> {
  const kinds: string[] = [];
  for await (const part of parts) {
    kinds.push(part.kind === 'tool_calls' ? part.calls.map(({ name }) => name).join() : part.kind);
  }
  return kinds;
}

const delta = Buffer.alloc(160).toString('base64');

test('a session sets its format and instructions, and turns off turn detection', async () => {
  const { sent } = await talk();
  const [update] = await sent('session.update');
  expect(update).toMatchObject({
    session: {
      instructions: 'You are Ada.',
      audio: {
        input: {
          format: { type: 'audio/pcmu' },
          turn_detection: null,
          transcription: { model: 'whisper-1', language: 'pt' },
        },
        output: { format: { type: 'audio/pcmu' } },
      },
    },
  });
});

test('utterances are transcribed independently, in any order', async () => {
  const { session, sent, send } = await talk();
  const said = new Int16Array(8_000);
  const [one, other] = [session.sendSpeech(said, never), session.sendSpeech(said, never)];
  await sent('input_audio_buffer.commit', 2);
  send('input_audio_buffer.committed', { item_id: 'a' });
  send('input_audio_buffer.committed', { item_id: 'b' });
  const written = 'conversation.item.input_audio_transcription.completed';
  send(written, { item_id: 'b', transcript: ' second ' });
  send('conversation.item.input_audio_transcription.failed', { item_id: 'a' });
  expect(await Promise.all([one, other])).toEqual([null, 'second']);
});

test('audio is sent in messages of at most one second', async () => {
  const { session, sent } = await talk();
  const gone = new AbortController();
  const hearing = session.sendSpeech(new Int16Array(20_000), gone.signal);
  await sent('input_audio_buffer.commit');
  const lengths = (await sent('input_audio_buffer.append')).map(
    ({ audio }) => Buffer.from(String(audio), 'base64').length,
  );
  expect(lengths).toEqual([8_000, 8_000, 4_000]);
  gone.abort();
  expect(await hearing).toBeNull();
});

test('an answer that was cut off is canceled, its late parts are dropped, and the next request waits for its end', async () => {
  const { session, sent, send } = await talk();
  const cut = new AbortController();
  const first = partsOf(session.respond(cut.signal));
  await sent('response.create');
  send('response.created', { response: { id: 'r1' } });
  cut.abort();
  expect(await first).toEqual([]);
  await sent('response.cancel');
  const second = partsOf(session.respond(never));
  send('response.output_audio.delta', { response_id: 'r1', item_id: 'i1', delta });
  send('response.done', { response: { id: 'r1', status: 'cancelled' } });
  await sent('response.create', 2);
  send('response.created', { response: { id: 'r2' } });
  send('response.output_item.done', {
    response_id: 'r2',
    item: { type: 'function_call', name: 'end_call', call_id: 'c1', arguments: '{}' },
  });
  send('response.done', { response: { id: 'r2', status: 'completed' } });
  expect(await second).toEqual(['end_call']);
});

test('an answer that was cut off before the server named it is not mistaken for the next one', async () => {
  const { session, sent, send } = await talk();
  const cut = new AbortController();
  const first = partsOf(session.respond(cut.signal));
  await sent('response.create');
  cut.abort();
  await first;
  await sent('response.cancel');
  send('response.created', { response: { id: 'r1' } });
  send('response.done', { response: { id: 'r1', status: 'cancelled' } });
  const second = partsOf(session.respond(never));
  await sent('response.create', 2);
  send('response.created', { response: { id: 'r2' } });
  send('response.output_audio.delta', { response_id: 'r1', item_id: 'i1', delta });
  send('response.output_audio.delta', { response_id: 'r2', item_id: 'i2', delta });
  send('response.done', { response: { id: 'r2', status: 'completed' } });
  expect(await second).toEqual(['item']);
});

test('a refusal of the server ends the answer with an error, and the session continues', async () => {
  const { session, sent, send, told } = await talk();
  const first = partsOf(session.respond(never));
  const [asked] = await sent('response.create');
  send('error', { error: { type: 'invalid_request_error', code: 'wrong', event_id: asked?.['event_id'] } });
  await expect(first).rejects.toThrow('it refused: wrong');
  const second = partsOf(session.respond(never));
  await sent('response.create', 2);
  send('response.created', { response: { id: 'r2' } });
  send('response.done', { response: { id: 'r2', status: 'completed' } });
  expect(await second).toEqual([]);
  expect(told).toEqual(['ready']);
});

test('a server that falls silent during an answer has failed, and gets no more requests', async () => {
  const { session, sent, told } = await talk({ silentMs: 50 });
  const first = partsOf(session.respond(never));
  await sent('response.create');
  await expect(first).rejects.toThrow('it fell silent');
  await expect(partsOf(session.respond(never))).rejects.toThrow('it fell silent');
  expect(told).toEqual(['ready', 'silent_too_long']);
});

test('a session that we close has not failed', async () => {
  const { session, sent, told } = await talk();
  await sent('session.update');
  session.close();
  await expect(session.sendText('Hello')).rejects.toThrow('it was closed');
  expect(told.filter((each) => each !== 'ready')).toEqual([]);
});

test('a server that refuses the session because of an unknown voice has not failed, and no request waits for it', async () => {
  const { session, sent, send, told } = await talk({ updates: false });
  await sent('session.update');
  send('error', { error: { type: 'invalid_request_error', code: 'invalid_value' } });
  await expect(session.sendText('Hello')).rejects.toThrow('it refused: invalid_value');
  expect(told).toEqual([]);
});

test('a server that cannot open a session because of a server error has failed', async () => {
  const { session, sent, send, told } = await talk({ updates: false });
  await sent('session.update');
  send('error', { error: { type: 'server_error' } });
  await expect(session.sendText('Hello')).rejects.toThrow('it refused: server_error');
  expect(told).toEqual(['unreachable']);
});

test.each([
  ['refuses the handshake because of an unknown model', 404, []],
  ['gets too many requests', 429, ['status_429']],
  ['fails', 503, ['status_503']],
])('a server that %s is known for it', async (_, status, expected) => {
  const { session, told } = await talk({ refuses: status });
  await expect(session.sendText('Hello')).rejects.toThrow(`it answered with ${status}`);
  expect(told).toEqual(expected);
});
