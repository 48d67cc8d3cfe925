import { RequestRefusedError } from './refusal.ts';

/** Speech as 16-bit samples of one channel or of several, each sample after the other. */
export interface SpeechFormat {
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
export function speechFormat(
  bytes: Uint8Array,
  type: string,
  { isAll }: { isAll: boolean },
): SpeechFormat | null {
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

export function firstChannel(
  channels: number,
): (samples: Int16Array<ArrayBuffer>) => Int16Array<ArrayBuffer> {
  if (channels === 1) return (samples) => samples;
  let next = 0;
  return (samples) => {
    const first = samples.filter((_, at) => at % channels === next);
    next = (((next - samples.length) % channels) + channels) % channels;
    return first;
  };
}
