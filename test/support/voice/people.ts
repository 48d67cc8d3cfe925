import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { frameBytes, fromMuLaw, silentByte, toMuLaw } from '@outdial/voice/sound';
import { type WebSocket, WebSocketServer } from 'ws';
import { waitFor } from '../stack/wait-for.ts';
import { createEar, type Ear, frameMs } from './ear.ts';
import { framesOf, lineNoise } from './loudness.ts';

/** The audio that the far end of a call received. Instants are of `performance.now()`. */
export interface Listener extends Pick<Ear, 'heard' | 'lastVoiceAt'> {
  pickedUpAt: number;
}

/** The far end of a call, which can speak and measure. */
export interface FarEnd extends Listener, Pick<Ear, 'hearsVoice' | 'hearsSilence'> {
  /** Speaks, and resolves at the end of the audio. */
  say(samples: Int16Array): Promise<void>;
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
  const { hear, tick, ...ear } = createEar();
  let leftAt: number | null = null;
  let queue: Uint8Array[] = [];
  let said = Promise.withResolvers<void>();
  said.promise.catch(() => undefined);
  socket.on('message', (data, isBinary) => {
    if (isBinary && Buffer.isBuffer(data)) hear(fromMuLaw(data));
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
    tick();
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
    ...ear,
    number,
    pickedUpAt,
    async say(samples) {
      if (leftAt !== null) throw new Error('the call had ended before the person spoke');
      said = Promise.withResolvers<void>();
      // If the test has already failed, nothing awaits this promise.
      said.promise.catch(() => undefined);
      queue = framesOf(toMuLaw(samples));
      sendAhead();
      await said.promise;
    },
    leftAt: () => leftAt,
    hangUp: () => socket.close(),
  };
}
