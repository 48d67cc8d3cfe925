import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { frameBytes, fromMuLaw, silentByte, toMuLaw } from '@outdial/voice/sound';
import { type WebSocket, WebSocketServer } from 'ws';
import { waitFor } from '../stack/wait-for.ts';
import { lineNoise, loud, loudness } from './loudness.ts';

/** The audio that the far end of a call received. Instants are of `performance.now()`. */
export interface Listener {
  pickedUpAt: number;
  /** The audio between two instants. */
  heard(from?: number, to?: number): Int16Array;
  /** The instant of the last voice. */
  lastVoiceAt(): number;
}

/** The far end of a call, which can speak and measure. */
export interface FarEnd extends Listener {
  /** Speaks, and resolves at the end of the audio. */
  say(samples: Int16Array): Promise<void>;
  /** Resolves with the instant of the first voice at or after `since`. */
  hearsVoice(since: number): Promise<number>;
  /** Resolves after a silence of this length, while this process ran, with the instant of its beginning. */
  hearsSilence(ms: number, since?: number): Promise<number>;
  leftAt(): number | null;
}

export interface Person extends FarEnd {
  number: string;
  hangUp(): void;
}

/** Faults of a person's outgoing audio. */
export interface LineFaults {
  /** Sends no packets during silence. */
  suppressesSilence?: boolean;
  /** The loudness of the noise that is added to all audio. */
  noiseLoudness?: number;
}

export interface People {
  url: string;
  /** The person called next. */
  next(): Promise<Person>;
  /** Waits for a call to a number with this ending. */
  at(ending: string): Promise<Person>;
  /** Sets the line faults of the next call to a number with this ending. */
  line(ending: string, faults: LineFaults): void;
  close(): Promise<void>;
}

const frameMs = 20;

/** The people behind a carrier: bots on Asterisk's websocket. */
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
    next: () => waitFor('a call', () => waiting.shift()),
    at: (ending) =>
      waitFor(`a call to ${ending}`, () => {
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
  let ticks = 0;
  let ticksAtVoice = 0;
  const frames: Array<{ at: number; samples: Int16Array }> = [];
  let leftAt: number | null = null;
  let queue: Uint8Array[] = [];
  let said = Promise.withResolvers<void>();
  said.promise.catch(() => undefined);
  socket.on('message', (data, isBinary) => {
    if (!isBinary || !Buffer.isBuffer(data)) return;
    const samples = fromMuLaw(data);
    frames.push({ at: performance.now(), samples });
    if (loudness(samples) <= loud) return;
    voices.push(performance.now());
    ticksAtVoice = ticks;
  });
  const withNoise = lineNoise(line.noiseLoudness ?? 0);
  const sendNext = () => {
    const frame = queue.shift();
    if (frame === undefined && line.suppressesSilence === true) return;
    if (socket.readyState === socket.OPEN) socket.send(withNoise(frame ?? silence));
  };
  let sentFrames = 0;
  /** Asterisk plays audio frame by frame, so a busy process causes no gaps in words. */
  const sendAhead = () => {
    for (; queue.length > 0; sentFrames += 1) sendNext();
  };
  // Paced by the clock, so that a late timer sends the missed frames, like a telephone.
  const timer = setInterval(() => {
    ticks += 1;
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
      // If the test has already failed, nothing awaits this promise.
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
        return (ticks - ticksAtVoice) * frameMs >= ms ? last : undefined;
      }),
    heard: (from = 0, to = Infinity) =>
      Int16Array.from(frames.flatMap(({ at, samples }) => (at >= from && at < to ? [...samples] : []))),
    lastVoiceAt: () => voices.at(-1) ?? 0,
    leftAt: () => leftAt,
    hangUp: () => socket.close(),
  };
}
