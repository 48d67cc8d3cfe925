import { lineRate } from '../audio/mu-law.ts';
import { createResampler } from '../audio/resampler.ts';
import { createSampleReader } from '../audio/samples.ts';
import type { ModelChoice, ModelEndpoints } from './endpoints.ts';
import { post } from './post.ts';
import { RequestRefusedError } from './refusal.ts';

interface SpeechLimits {
  /** The limit before the first bytes, and between chunks. */
  silentMs: number;
  /** No piece of an answer is longer. */
  longestMs: number;
  /** Notices silence. */
  startTimer?: (onSilence: () => void, silentMs: number) => SilenceTimer;
}

interface SilenceTimer {
  /** Starts the time again. */
  refresh(): void;
  stop(): void;
}

const speechLimits: SpeechLimits = { silentMs: 4_000, longestMs: 180_000 };

function startSilenceTimer(onSilence: () => void, silentMs: number): SilenceTimer {
  const timer = setTimeout(onSilence, silentMs);
  return { refresh: () => void timer.refresh(), stop: () => clearTimeout(timer) };
}

export interface SpeechSettings extends ModelChoice {
  voice?: string | undefined;
  speed?: number | undefined;
}

/** Streams speech as samples of a telephone line, from OpenAI's `POST /audio/speech`. */
export async function* speak(
  endpoints: ModelEndpoints,
  settings: SpeechSettings,
  text: string,
  signal: AbortSignal,
  { silentMs, longestMs, startTimer = startSilenceTimer }: SpeechLimits = speechLimits,
): AsyncGenerator<Int16Array<ArrayBuffer>, void, void> {
  let abort = new AbortController();
  const fellSilent = () => abort.abort(new Error('the voice fell silent'));
  const watch = startTimer(fellSilent, silentMs);
  let speaker: string | null = null;
  try {
    // Fallbacks are tried only until the first bytes: after that, the person would hear two voices.
    const { first, rest, format } = await endpoints.ask(
      settings,
      signal,
      async (endpoint) => {
        // Each endpoint gets the full time.
        abort = new AbortController();
        watch.refresh();
        const { body, type } = await post(endpoint, '/audio/speech', {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            ...(endpoint.model !== null && { model: endpoint.model }),
            input: text,
            voice: settings.voice ?? 'alloy',
            ...(settings.speed !== undefined && { speed: settings.speed }),
            response_format: 'pcm',
          }),
          signal: AbortSignal.any([signal, abort.signal, AbortSignal.timeout(silentMs + longestMs)]),
          connections: endpoints.connections,
        });
        // A stream without an encoding yields buffers.
        const reader = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
        const begun = await readBeginning(reader, type).catch((error: unknown) => {
          // A body that nobody reads would hold its connection.
          body.destroy();
          throw error;
        });
        speaker = endpoint.name;
        return { ...begun, rest: reader };
      },
      { begins: true },
    );
    yield* lineSamples(first, rest, { format, onBytes: () => watch.refresh(), longestMs });
    if (speaker !== null) endpoints.note(speaker, true);
  } catch (error) {
    // Speech that breaks off counts as a failure too.
    if (speaker !== null && !signal.aborted) endpoints.note(speaker, false);
    throw error;
  } finally {
    watch.stop();
    abort.abort();
  }
}

/**
 * Reads until the format is known, and returns the first bytes of the samples.
 * @throws RequestRefusedError if they cannot be played
 */
async function readBeginning(
  reader: AsyncIterator<Uint8Array>,
  type: string,
): Promise<{ first: Uint8Array; format: SpeechFormat }> {
  let bytes: Uint8Array = new Uint8Array();
  for (;;) {
    const chunk = await reader.next();
    const isAll = chunk.done === true;
    if (!isAll) bytes = bytes.length === 0 ? chunk.value : Buffer.concat([bytes, chunk.value]);
    if (isAll && bytes.length === 0) throw new Error('the voice said nothing');
    const format = speechFormat(bytes, type, { isAll });
    if (format !== null) return { first: bytes.subarray(format.from), format };
  }
}

/** Converts the bytes of an answer to samples of a line. */
async function* lineSamples(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  { format, onBytes, longestMs }: { format: SpeechFormat; onBytes: () => void; longestMs: number },
): AsyncGenerator<Int16Array<ArrayBuffer>, void, void> {
  const read = createSampleReader();
  const mono = firstChannel(format.channels);
  const resampler = createResampler(format.rate, lineRate);
  let madeMs = 0;
  let left = format.length ?? Infinity;
  for (let chunk: Uint8Array | undefined = first; chunk !== undefined;) {
    onBytes();
    const samples = resampler.push(mono(read(chunk.subarray(0, left))));
    left -= Math.min(left, chunk.length);
    madeMs += (samples.length / lineRate) * 1_000;
    if (madeMs > longestMs) throw new Error('the voice does not end');
    if (samples.length > 0) yield samples;
    const next = await rest.next();
    chunk = next.done === true ? undefined : next.value;
  }
  const last = resampler.end();
  if (last.length > 0) yield last;
}

/** Speech as 16-bit samples of one channel or of several, each sample after the other. */
interface SpeechFormat {
  rate: number;
  channels: number;
  /** How many bytes come before the samples. */
  from: number;
  /** How many bytes the samples have. Null: all that follow. */
  length: number | null;
}

/** The rate of `response_format: pcm`, which has one channel of 16-bit samples. */
const pcmRate = 24_000;
/** A WAV file has its samples after this many bytes at most; the description of the recording may come before them. */
const headerAtMost = 65_536;
/** So many bytes tell one format from another. */
const bytesToTell = 64;
const [lowestRate, highestRate] = [8_000, 192_000];
/** Formats that name themselves, and that we cannot play. */
const others: ReadonlyArray<[name: string, begin: string]> = [
  ['MP3', 'ID3'],
  ['Ogg', 'OggS'],
  ['FLAC', 'fLaC'],
  ['WebM', '\u001A\u0045\u00DF\u00A3'],
];
const unplayableType = /json|html|xml|^text\/|mpeg|mp3|mp4|aac|ogg|opus|flac|webm/i;

/**
 * Reads the format of speech from its first bytes, and from its type. Servers answer 200 with formats that they were not asked for.
 * @param isAll no more bytes follow
 * @returns null if more bytes are needed
 * @throws RequestRefusedError if it cannot be played
 */
function speechFormat(bytes: Uint8Array, type: string, { isAll }: { isAll: boolean }): SpeechFormat | null {
  if (bytes.length < bytesToTell && !isAll) return null;
  const begin = Buffer.from(bytes.subarray(0, bytesToTell)).toString('latin1');
  if (begin.startsWith('RIFF') && begin.startsWith('WAVE', 8)) return wavFormat(Buffer.from(bytes), isAll);
  const other = others.find(([, sign]) => begin.startsWith(sign));
  if (other !== undefined) throw unplayable(other[0]);
  // Samples are not all letters: that would be the loudest noise.
  if (/^[\s\x20-\x7E]+$/.test(begin)) throw unplayable('text');
  if (unplayableType.test(type)) throw unplayable(type);
  const rate = Number(/rate=(\d+)/i.exec(type)?.[1] ?? pcmRate);
  return { rate: checkedRate(rate), channels: 1, from: 0, length: null };
}

/** https://learn.microsoft.com/windows/win32/multimedia/resource-interchange-file-format-services */
function wavFormat(bytes: Buffer, isAll: boolean): SpeechFormat | null {
  let format: Pick<SpeechFormat, 'rate' | 'channels'> | null = null;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    if (name === 'data') {
      if (format === null) throw unplayable('WAV without a format');
      // A server that streams does not know the length.
      return { ...format, from: at + 8, length: length === 0 || length >= 0x7f_ff_ff_ff ? null : length };
    }
    if (name === 'fmt ' && at + 24 <= bytes.length) {
      const coding = bytes.readUInt16LE(at + 8);
      const [channels, bits] = [bytes.readUInt16LE(at + 10), bytes.readUInt16LE(at + 22)];
      const isPlain = (coding === 1 || coding === 0xff_fe) && bits === 16 && channels >= 1 && channels <= 8;
      if (!isPlain) throw unplayable('WAV without 16-bit samples');
      format = { rate: checkedRate(bytes.readUInt32LE(at + 12)), channels };
    }
    at += 8 + length + (length % 2);
    if (at > headerAtMost) break;
  }
  if (isAll || bytes.length > headerAtMost) throw unplayable('WAV without samples');
  return null;
}

function checkedRate(rate: number): number {
  if (rate < lowestRate || rate > highestRate) throw unplayable(`a rate of ${rate} Hz`);
  return rate;
}

const unplayable = (what: string) =>
  new RequestRefusedError(`/audio/speech was answered with ${what.slice(0, 100)}, which is not 16-bit PCM`);

function firstChannel(channels: number): (samples: Int16Array<ArrayBuffer>) => Int16Array<ArrayBuffer> {
  if (channels === 1) return (samples) => samples;
  let next = 0;
  return (samples) => {
    const first = samples.filter((_, at) => at % channels === next);
    next = (((next - samples.length) % channels) + channels) % channels;
    return first;
  };
}
