import { waitFor } from '../stack/wait-for.ts';
import { loud, loudness } from './loudness.ts';

/** The ear at the far end of a call. Instants are of `performance.now()`. */
export interface Ear {
  /** The audio between two instants. */
  heard: (from?: number, to?: number) => Int16Array;
  /** The instant of the last voice. */
  lastVoiceAt: () => number;
  /** Resolves with the instant of the first voice at or after `since`. */
  hearsVoice: (since: number) => Promise<number>;
  /** Resolves after a silence of this length, while this process ran, with the instant of its beginning. */
  hearsSilence: (ms: number, since?: number) => Promise<number>;
  voices: readonly number[];
  hear: (samples: Int16Array, at?: number) => void;
  /** A frame's time has passed while this process ran. */
  tick: () => void;
}

export const frameMs = 20;

export function createEar(): Ear {
  const sounds: Array<{ at: number; samples: Int16Array }> = [];
  const voices: number[] = [];
  let ticks = 0;
  let ticksAtVoice = 0;
  return {
    voices,
    hear(samples, at = performance.now()) {
      sounds.push({ at, samples });
      if (loudness(samples) <= loud) return;
      voices.push(at);
      ticksAtVoice = ticks;
    },
    tick: () => void (ticks += 1),
    hearsVoice: (since) => waitFor('a voice', () => voices.find((at) => at >= since)),
    hearsSilence: (ms, since = 0) =>
      waitFor('a silence', () => {
        const last = voices.findLast((at) => at >= since);
        return (ticks - ticksAtVoice) * frameMs >= ms ? last : undefined;
      }),
    heard: (from = 0, to = Infinity) =>
      Int16Array.from(sounds.flatMap(({ at, samples }) => (at >= from && at < to ? [...samples] : []))),
    lastVoiceAt: () => voices.at(-1) ?? 0,
  };
}
