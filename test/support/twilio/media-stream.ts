import { frameBytes, fromMuLaw, silentByte, toMuLaw } from '@outdial/voice/sound';
import { z } from 'zod';
import { waitFor } from '../stack/wait-for.ts';
import { createEar, frameMs } from '../voice/ear.ts';
import { framesOf } from '../voice/loudness.ts';
import type { FarEnd } from '../voice/people.ts';
import { connectAsTwilio, type ConnectNoun, type Dialing, readJson } from './connect-noun.ts';
import { randomBytes } from 'node:crypto';
import { accountSid } from './stand-in.ts';

/** What a server may send (https://www.twilio.com/docs/voice/media-streams/websocket-messages, read on 22 November 2026), and nothing else. */
const sent = z.discriminatedUnion('event', [
  z.strictObject({
    event: z.literal('media'),
    streamSid: z.string(),
    media: z.strictObject({ payload: z.base64().min(1) }),
  }),
  z.strictObject({
    event: z.literal('mark'),
    streamSid: z.string(),
    mark: z.strictObject({ name: z.string().min(1) }),
  }),
  z.strictObject({ event: z.literal('clear'), streamSid: z.string() }),
]);

/** The telephone at the far end of a Media Stream. Instants are of `performance.now()`. */
export interface StreamPerson extends FarEnd {
  press(digit: string): void;
  hangUp(): void;
  /** Resolves when the server has closed the connection. */
  left(): Promise<number>;
  /** The maximum of buffered audio, in milliseconds. */
  mostAheadMs(): number;
  clears(): number;
  /** Messages that Twilio would refuse. */
  faults(): readonly string[];
}

/** @param options `delayMs`: the delay of audio before it is played */
export async function joinStream(
  noun: ConnectNoun,
  options: Dialing & { delayMs?: number },
): Promise<StreamPerson> {
  if (noun.name !== 'Stream') throw new Error(`no stream, but ${noun.name}`);
  const socket = await connectAsTwilio(noun, options);
  const streamSid = `MZ${randomBytes(16).toString('hex')}`;
  const callSid = `CA${'1'.repeat(32)}`;
  const faults: string[] = [];
  const pickedUpAt = performance.now();
  const { hear, tick, ...ear } = createEar();
  /** Frames and the names of marks, in order. */
  let queue: Array<Uint8Array | string> = [];
  let saying: Uint8Array[] = [];
  let said = Promise.withResolvers<void>();
  let sequence = 1;
  let chunk = 0;
  let mostAheadMs = 0;
  let clears = 0;
  let leftAt: number | null = null;
  let playsFrom = 0;

  const send = (event: string, body: object = {}) => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify({ event, sequenceNumber: String(sequence), streamSid, ...body }));
    sequence += 1;
  };
  const returnMark = (name: string) => send('mark', { mark: { name } });

  socket.on('message', (data, isBinary) => {
    const { text, value } = readJson(data, isBinary);
    const read = sent.safeParse(value);
    if (!read.success) return void faults.push(text.slice(0, 200));
    if (read.data.streamSid !== streamSid) faults.push('of another stream');
    switch (read.data.event) {
      case 'media': {
        const bytes = Buffer.from(read.data.media.payload, 'base64');
        const now = performance.now();
        play(now);
        if (queue.length === 0) playsFrom = Math.max(playsFrom, now + (options.delayMs ?? 0));
        for (let at = 0; at < bytes.length; at += frameBytes) queue.push(bytes.subarray(at, at + frameBytes));
        const frames = queue.filter((one) => typeof one !== 'string').length;
        mostAheadMs = Math.max(mostAheadMs, frames * frameMs);
        return;
      }
      case 'mark':
        if (queue.length === 0) returnMark(read.data.mark.name);
        else queue.push(read.data.mark.name);
        return;
      case 'clear': {
        clears += 1;
        const marks = queue.filter((one) => typeof one === 'string');
        queue = [];
        for (const name of marks) returnMark(name);
      }
    }
  });
  /** Paced by the clock, so that a late timer plays the missed frames. */
  function play(now: number): void {
    while (queue.length > 0 && playsFrom <= now) {
      const one = queue.shift();
      if (typeof one === 'string') returnMark(one);
      if (typeof one !== 'object') continue;
      playsFrom += frameMs;
      hear(fromMuLaw(one), now);
    }
  }

  const silence = new Uint8Array(frameBytes).fill(silentByte);
  // Also paced by the clock, so that a busy process causes no gaps in words.
  const timer = setInterval(() => {
    tick();
    const due = (performance.now() - pickedUpAt) / frameMs;
    while (chunk <= due) {
      const own = saying.shift();
      chunk += 1;
      const payload = Buffer.from(own ?? silence).toString('base64');
      send('media', {
        media: { track: 'inbound', chunk: String(chunk), timestamp: String(chunk * frameMs), payload },
      });
      if (own !== undefined && saying.length === 0) said.resolve();
    }
    play(performance.now());
  }, frameMs);
  socket.on('close', () => {
    leftAt = performance.now();
    clearInterval(timer);
  });

  socket.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }));
  send('start', {
    start: {
      accountSid,
      streamSid,
      callSid,
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8_000, channels: 1 },
      customParameters: { ...noun.parameters, ...options.parameters },
    },
  });
  return {
    ...ear,
    async say(samples) {
      said = Promise.withResolvers<void>();
      saying = framesOf(toMuLaw(samples));
      await said.promise;
    },
    press: (digit) => send('dtmf', { dtmf: { track: 'inbound_track', digit } }),
    hangUp() {
      send('stop', { stop: { accountSid, callSid } });
      socket.close();
    },
    pickedUpAt,
    leftAt: () => leftAt,
    left: () => waitFor('the server to close the stream', () => leftAt),
    mostAheadMs: () => mostAheadMs,
    clears: () => clears,
    faults: () => faults,
  };
}
