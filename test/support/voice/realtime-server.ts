import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toMuLaw } from '@outdial/voice/sound';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { type Sent, sent, type Session } from './realtime-protocol.ts';
import { voiceLike } from './voice-like.ts';

export interface RealtimeAnswer {
  say?: string;
  tool?: { name: string; arguments?: object | undefined };
  /** The connection breaks in the middle. */
  breaks?: boolean;
}

export interface RealtimeServer {
  url: string;
  session: () => Session | null;
  /** The bytes of audio of each utterance. */
  heard: () => readonly number[];
  /** What it has said, all of it. */
  said: () => readonly string[];
  outputs: () => readonly string[];
  truncated: () => ReadonlyArray<{ text: string; ms: number }>;
  connections: () => number;
  faults: () => readonly string[];
}

/** Speech recognition and synthesis of the model. */
export interface RealtimeSound {
  hears(bytes: Uint8Array): Promise<string>;
  speaks(text: string): Promise<Int16Array>;
}

const wordMs = 150;
const bytesPerMs = 8;

/** A scripted server of the Realtime protocol, which sends audio faster than real time. */
export async function startRealtimeServer(args: {
  /** The recognized utterances of the person, in order. */
  phrases: readonly string[];
  /** Without it, any audio is recognized as the next phrase, and the model's voice is a tone. */
  sound?: RealtimeSound;
  /** The data that it extracts from the finished conversation. */
  afterwards?: string;
  answer: (lastWords: string) => RealtimeAnswer;
  /** Refuses every connection. */
  isDown?: boolean;
}): Promise<RealtimeServer> {
  const faults: string[] = [];
  const heard: number[] = [];
  const said: string[] = [];
  const outputs: string[] = [];
  const truncated: Array<{ text: string; ms: number }> = [];
  let session: Session | null = null;
  let connections = 0;
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    verifyClient: ({ req }: { req: IncomingMessage }) => {
      const right = req.headers.authorization === 'Bearer the-key' && req.url === '/v1/realtime?model=test';
      if (!right) faults.push(`a handshake of ${req.url}`);
      return right && args.isDown !== true;
    },
  });
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const client of server.clients) client.terminate();
    server.close();
    await once(server, 'close');
  });
  server.on('connection', (socket) => {
    connections += 1;
    converse(socket);
  });

  function converse(socket: WebSocket): void {
    let ids = 0;
    let taken = Promise.resolve();
    const nextId = (kind: string) => `${kind}_${(ids += 1)}`;
    let buffered: Buffer[] = [];
    let words = '';
    let active: { id: string; timer: NodeJS.Timeout | null } | null = null;
    const items = new Map<string, { text: string; ms: number }>();
    const send = (type: string, body: object = {}) => {
      if (socket.readyState === socket.OPEN) {
        socket.send(JSON.stringify({ type, event_id: nextId('event'), ...body }));
      }
    };
    const refuse = (code: string, eventId?: string) => {
      faults.push(code);
      const error = { type: 'invalid_request_error', code, message: code, event_id: eventId ?? null };
      send('error', { error });
    };
    const done = (status: string) => {
      if (active === null) return;
      const { id, timer } = active;
      if (timer !== null) clearTimeout(timer);
      active = null;
      send('response.done', { response: { id, object: 'realtime.response', status, output: [] } });
    };

    async function speak(text: string, responseId: string, after: () => void): Promise<void> {
      const id = nextId('item');
      const about = { response_id: responseId, item_id: id, output_index: 0, content_index: 0 };
      send('response.output_item.added', {
        response_id: responseId,
        output_index: 0,
        item: { id, type: 'message', role: 'assistant', content: [] },
      });
      const parts = text.split(/(?<= )/);
      const count = parts.length;
      const sound = await args.sound?.speaks(text);
      // Each word has an equal share of the audio.
      const share = Math.ceil((sound?.length ?? 0) / count);
      if (active?.id !== responseId) return;
      const item = { text: '', ms: 0 };
      items.set(id, item);
      const next = () => {
        const word = parts.shift();
        if (word === undefined) {
          said.push(item.text);
          send('response.output_audio.done', about);
          send('response.output_audio_transcript.done', { ...about, transcript: item.text });
          send('response.output_item.done', {
            response_id: responseId,
            output_index: 0,
            item: { id, type: 'message', role: 'assistant', content: [] },
          });
          return after();
        }
        const at = (count - parts.length - 1) * share;
        const samples = sound?.subarray(at, at + share) ?? voiceLike(wordMs);
        item.text += word;
        item.ms += samples.length / bytesPerMs;
        send('response.output_audio_transcript.delta', { ...about, delta: word });
        const delta = Buffer.from(toMuLaw(samples)).toString('base64');
        send('response.output_audio.delta', { ...about, delta });
        // Ten times as fast as real time.
        if (active?.id === responseId) active.timer = setTimeout(next, samples.length / bytesPerMs / 10);
      };
      next();
    }

    function respond({ response, event_id: eventId }: Extract<Sent, { type: 'response.create' }>): void {
      if (active !== null) return refuse('conversation_already_has_active_response', eventId);
      const id = nextId('resp');
      active = { id, timer: null };
      send('response.created', {
        response: { id, object: 'realtime.response', status: 'in_progress', output: [] },
      });
      if (response.output_modalities?.[0] === 'text') {
        const delta = args.afterwards ?? '{"summary":"A short call."}';
        send('response.output_text.delta', {
          response_id: id,
          item_id: 'item_t',
          output_index: 0,
          content_index: 0,
          delta,
        });
        return done('completed');
      }
      const exact = /^Say exactly .*?: (.*)$/s.exec(response.instructions ?? '')?.[1];
      const answer = exact === undefined ? args.answer(words) : { say: exact };
      const call = () => {
        if ('tool' in answer && answer.tool !== undefined && response.tool_choice !== 'none') {
          const callId = nextId('call');
          words = `result of ${answer.tool.name}`;
          send('response.output_item.done', {
            response_id: id,
            output_index: 1,
            item: {
              id: nextId('item'),
              type: 'function_call',
              status: 'completed',
              name: answer.tool.name,
              call_id: callId,
              arguments: JSON.stringify(answer.tool.arguments ?? {}),
            },
          });
        }
        done('completed');
      };
      if ('breaks' in answer && answer.breaks) return socket.terminate();
      if (answer.say === undefined) return call();
      void speak(answer.say, id, call);
    }

    async function take(event: Sent): Promise<void> {
      switch (event.type) {
        case 'session.update':
          session = event.session;
          return send('session.updated', { session: event.session });
        case 'input_audio_buffer.append':
          buffered.push(Buffer.from(event.audio, 'base64'));
          return;
        case 'input_audio_buffer.commit': {
          const bytes = Buffer.concat(buffered);
          // By the documentation, committing an empty input audio buffer is an error; the minimum is a tenth of a second.
          if (bytes.length < 100 * bytesPerMs) return refuse('input_audio_buffer_commit_empty');
          buffered = [];
          const id = nextId('item');
          send('input_audio_buffer.committed', { item_id: id, previous_item_id: null });
          words = args.phrases[heard.length] ?? '';
          heard.push(bytes.length);
          if (args.sound !== undefined) words = await args.sound.hears(bytes);
          return send('conversation.item.input_audio_transcription.completed', {
            item_id: id,
            content_index: 0,
            transcript: words,
          });
        }
        case 'conversation.item.create':
          if (event.item.type === 'function_call_output') outputs.push(event.item.output);
          else words = event.item.content.map(({ text }) => text).join(' ');
          return;
        case 'conversation.item.truncate': {
          const item = items.get(event.item_id);
          if (item === undefined) return refuse('item_not_found');
          if (event.audio_end_ms > item.ms) return refuse('audio_end_ms_too_large');
          truncated.push({ text: item.text.trim(), ms: event.audio_end_ms });
          return send('conversation.item.truncated', { ...event });
        }
        case 'response.create':
          return respond(event);
        case 'response.cancel':
          if (active === null) return refuse('response_cancel_not_active');
          return done('cancelled');
      }
    }

    socket.on('message', (data, isBinary) => {
      const value: unknown = isBinary || !Buffer.isBuffer(data) ? null : JSON.parse(data.toString('utf8'));
      const read = sent.safeParse(value);
      if (!read.success) return refuse(`not of the protocol: ${z.prettifyError(read.error).slice(0, 300)}`);
      // In order, because an answer waits for the recognized text.
      taken = taken.then(() => take(read.data)).catch((error: unknown) => void faults.push(String(error)));
    });
    send('session.created', {
      session: { type: 'realtime', object: 'realtime.session', id: nextId('sess') },
    });
  }

  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/v1`,
    session: () => session,
    heard: () => heard,
    said: () => said,
    outputs: () => outputs,
    truncated: () => truncated,
    connections: () => connections,
    faults: () => faults,
  };
}
