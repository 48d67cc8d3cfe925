import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { frameBytes, fromMuLaw, silentByte, toMuLaw } from '@outdial/voice/sound';
import { type WebSocket, WebSocketServer } from 'ws';
import { waitFor } from '../stack/wait-for.ts';

/** Somebody who has picked up, and measures at the far end. Instants are of `performance.now()`. */
export interface Person {
  number: string;
  pickedUpAt: number;
  /** Resolves when it was said. */
  say(samples: Int16Array): Promise<void>;
  /** When a voice was first heard at or after this instant. */
  hearsVoice(since: number): Promise<number>;
  /** When there has been silence for so long: the instant at which it began. */
  hearsSilence(ms: number, since?: number): Promise<number>;
  /** All that was heard. */
  heard(): Int16Array;
  /** Of the last voice that was heard. */
  lastVoiceAt(): number;
  leftAt(): number | null;
  hangUp(): void;
}

export interface People {
  url: string;
  /** Whoever is called next. */
  next(): Promise<Person>;
  close(): Promise<void>;
}

const frameMs = 20;
const loud = 300;

/** Those whom a carrier reaches: bots behind Asterisk's websocket. */
export async function startPeople(): Promise<People> {
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: () => 'media',
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const waiting: Person[] = [];
  server.on('connection', (socket, request) => {
    waiting.push(answer(socket, new URL(request.url ?? '', 'ws://people').searchParams.get('number') ?? ''));
  });
  return {
    url: `ws://127.0.0.1:${port}/people`,
    next: () => waitFor('somebody to be called', () => waiting.shift()),
    async close() {
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(socket: WebSocket, number: string): Person {
  const pickedUpAt = performance.now();
  const voices: number[] = [];
  const frames: Int16Array[] = [];
  let leftAt: number | null = null;
  let queue: Uint8Array[] = [];
  let said = Promise.withResolvers<void>();
  said.promise.catch(() => undefined);
  socket.on('message', (data, isBinary) => {
    if (!isBinary || !Buffer.isBuffer(data)) return;
    const samples = fromMuLaw(data);
    frames.push(samples);
    const power = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
    if (power > loud) voices.push(performance.now());
  });
  const silence = new Uint8Array(frameBytes).fill(silentByte);
  const timer = setInterval(() => {
    const frame = queue.shift();
    if (socket.readyState === socket.OPEN) socket.send(frame ?? silence);
    if (frame !== undefined && queue.length === 0) said.resolve();
  }, frameMs);
  socket.on('close', () => {
    leftAt = performance.now();
    clearInterval(timer);
    said.reject(new Error('the call ended while the person spoke'));
  });
  return {
    number,
    pickedUpAt,
    async say(samples) {
      said = Promise.withResolvers<void>();
      // Where the test has failed already, nobody waits for it.
      said.promise.catch(() => undefined);
      const bytes = toMuLaw(samples);
      queue = Array.from({ length: Math.floor(bytes.length / frameBytes) }, (_, index) =>
        bytes.subarray(index * frameBytes, (index + 1) * frameBytes),
      );
      await said.promise;
    },
    hearsVoice: (since) => waitFor('a voice', () => voices.find((at) => at >= since)),
    hearsSilence: (ms, since = 0) =>
      waitFor('a silence', () => {
        const last = voices.findLast((at) => at >= since);
        return last !== undefined && performance.now() - last >= ms ? last : undefined;
      }),
    heard: () => Int16Array.from(frames.flatMap((samples) => [...samples])),
    lastVoiceAt: () => voices.at(-1) ?? 0,
    leftAt: () => leftAt,
    hangUp: () => socket.close(),
  };
}
