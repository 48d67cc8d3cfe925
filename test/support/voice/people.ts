import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { frameBytes, fromMuLaw, silentByte, toMuLaw } from '@outdial/voice/sound';
import { type WebSocket, WebSocketServer } from 'ws';
import { waitFor } from '../stack/wait-for.ts';
import { lineNoise, loud, loudness } from './loudness.ts';

/** What somebody at the far end of a call has heard. Instants are of `performance.now()`. */
export interface Listener {
  pickedUpAt: number;
  /** All that was heard between two instants. */
  heard(from?: number, to?: number): Int16Array;
  /** Of the last voice that was heard. */
  lastVoiceAt(): number;
}

/** Somebody at the far end of a call, who measures there. */
export interface FarEnd extends Listener {
  /** Resolves when it was said. */
  say(samples: Int16Array): Promise<void>;
  /** When a voice was first heard at or after this instant. */
  hearsVoice(since: number): Promise<number>;
  /** When there has been silence for so long: the instant at which it began. */
  hearsSilence(ms: number, since?: number): Promise<number>;
  leftAt(): number | null;
}

export interface Person extends FarEnd {
  number: string;
  hangUp(): void;
}

/** What is wrong with the line of a person, in what they send. */
export interface LineFaults {
  /** Nothing is sent while they are silent. */
  suppressesSilence?: boolean;
  /** How loud the noise is that is added to all that they send. */
  noiseLoudness?: number;
}

export interface People {
  url: string;
  /** The person called next. */
  next(): Promise<Person>;
  /** Who is called at the number that ends so. */
  at(ending: string): Promise<Person>;
  /** The next person who is called at a number with this ending has this line. */
  line(ending: string, faults: LineFaults): void;
  close(): Promise<void>;
}

const frameMs = 20;

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
  const lines = new Map<string, LineFaults>();
  server.on('connection', (socket, request) => {
    const number = new URL(request.url ?? '', 'ws://people').searchParams.get('number') ?? '';
    waiting.push(answer(socket, number, lines.get(number.slice(-4)) ?? {}));
  });
  return {
    url: `ws://127.0.0.1:${port}/people`,
    next: () => waitFor('somebody to be called', () => waiting.shift()),
    at: (ending) =>
      waitFor('somebody to be called', () => {
        const index = waiting.findIndex(({ number }) => number.endsWith(ending));
        return index === -1 ? undefined : waiting.splice(index, 1)[0];
      }),
    line: (ending, faults) => void lines.set(ending, faults),
    async close() {
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

const silence = new Uint8Array(frameBytes).fill(silentByte);
function answer(socket: WebSocket, number: string, line: LineFaults): Person {
  const pickedUpAt = performance.now();
  const voices: number[] = [];
  const frames: Array<{ at: number; samples: Int16Array }> = [];
  let leftAt: number | null = null;
  let queue: Uint8Array[] = [];
  let said = Promise.withResolvers<void>();
  said.promise.catch(() => undefined);
  socket.on('message', (data, isBinary) => {
    if (!isBinary || !Buffer.isBuffer(data)) return;
    const samples = fromMuLaw(data);
    frames.push({ at: performance.now(), samples });
    if (loudness(samples) > loud) voices.push(performance.now());
  });
  const withNoise = lineNoise(line.noiseLoudness ?? 0);
  const sendNext = () => {
    const frame = queue.shift();
    if (frame === undefined && line.suppressesSilence === true) return;
    if (socket.readyState === socket.OPEN) socket.send(withNoise(frame ?? silence));
  };
  let sentFrames = 0;
  /** Asterisk plays what it is sent frame by frame, so words are not torn apart when this process is held up. */
  const sendAhead = () => {
    for (; queue.length > 0; sentFrames += 1) sendNext();
  };
  // By the clock: a timer that is late sends what it has missed, as a telephone would have.
  const timer = setInterval(() => {
    const due = (performance.now() - pickedUpAt) / frameMs;
    for (; sentFrames <= due; sentFrames += 1) {
      if (queue.length === 0) said.resolve();
      sendNext();
    }
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
      if (leftAt !== null) throw new Error('the call had ended before the person spoke');
      said = Promise.withResolvers<void>();
      // If the test has failed already, nothing waits for it.
      said.promise.catch(() => undefined);
      const bytes = toMuLaw(samples);
      queue = Array.from({ length: Math.floor(bytes.length / frameBytes) }, (_, index) =>
        bytes.subarray(index * frameBytes, (index + 1) * frameBytes),
      );
      sendAhead();
      await said.promise;
    },
    hearsVoice: (since) => waitFor('a voice', () => voices.find((at) => at >= since)),
    hearsSilence: (ms, since = 0) =>
      waitFor('a silence', () => {
        const last = voices.findLast((at) => at >= since);
        return last !== undefined && performance.now() - last >= ms ? last : undefined;
      }),
    heard: (from = 0, to = Infinity) =>
      Int16Array.from(frames.flatMap(({ at, samples }) => (at >= from && at < to ? [...samples] : []))),
    lastVoiceAt: () => voices.at(-1) ?? 0,
    leftAt: () => leftAt,
    hangUp: () => socket.close(),
  };
}
