import type { CallFact, CallReference, TelephonyProvider } from '@outdial/core';
import { courseOf, timelineOf, type SimulatedCall, type SimulatorTimes } from './timeline.ts';

/**
 * A carrier without telephones. Its calls are a pure function of their rows and the engine's clock, so it loses nothing when a process dies, and every
 * process gives the same answer. It sends no events; the engine looks its calls up.
 */
export function createSimulator(args: { name: string; times: SimulatorTimes }): TelephonyProvider {
  const { name, times } = args;

  function seen(call: SimulatedCall, now: Date): { progress: CallFact[]; nextChangeAt: Date | null } {
    const timeline = timelineOf(call, times);
    const next = timeline.find((fact) => fact.at > now);
    return { progress: timeline.filter((fact) => fact.at <= now), nextChangeAt: next?.at ?? null };
  }

  return {
    name,
    idempotency: 'lasting',
    place: (request) =>
      Promise.resolve({
        kind: 'accepted',
        conversationId: conversationOf(request.callId),
        ...seen(request, request.gatedAt),
      }),
    lookUp: (call) =>
      Promise.resolve({
        kind: 'found',
        conversationId: conversationOf(call.callId),
        ...seen(call, call.now),
      }),
    hangUp: () => Promise.resolve({ kind: 'confirmed' }),
    deleteRecording: () => Promise.resolve({ kind: 'deleted' }),
    openRecording: (call: CallReference) => {
      if (courseOf(call.toPhone, call.attempt).kind !== 'answers') return Promise.resolve(null);
      return Promise.resolve({
        contentType: 'audio/wav',
        size: toneSize(times.talkMs),
        async *read(range) {
          const wav = toneWav(times.talkMs);
          yield range ? wav.subarray(range.start, range.end + 1) : wav;
        },
      });
    },
  };
}

function conversationOf(callId: string): string {
  return `sim-${callId}`;
}

const sampleRate = 8_000;
const headerBytes = 44;
const bytesASample = 2;
const longestSeconds = 10;
const toneHz = 440;
const loudness = 8_000;

/** The size in bytes of a recording: a WAV file of at least a tenth of a second and at most ten seconds. */
function toneSize(talkMs: number): number {
  return headerBytes + samplesOf(talkMs) * bytesASample;
}

/** A WAV file (RIFF, 16-bit PCM, mono, 8 kHz) with a tone of 440 Hz. */
function toneWav(talkMs: number): Buffer {
  const samples = samplesOf(talkMs);
  const wav = Buffer.alloc(headerBytes + samples * bytesASample);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(sampleRate, 24);
  wav.writeUInt32LE(sampleRate * bytesASample, 28);
  wav.writeUInt16LE(bytesASample, 32);
  wav.writeUInt16LE(8 * bytesASample, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(samples * bytesASample, 40);
  for (let n = 0; n < samples; n++) {
    const value = Math.round(loudness * Math.sin((2 * Math.PI * toneHz * n) / sampleRate));
    wav.writeInt16LE(value, headerBytes + n * bytesASample);
  }
  return wav;
}

function samplesOf(talkMs: number): number {
  const seconds = Math.min(Math.max(talkMs / 1000, 0.1), longestSeconds);
  return Math.round(seconds * sampleRate);
}
