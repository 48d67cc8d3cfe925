import type { CallFact, CallReference, TelephonyProvider } from '@outdial/core';
import { courseOf, timelineOf, type SimulatedCall, type SimulatorTimes } from './timeline.ts';
import { toneSize, toneWav } from './tone.ts';

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
