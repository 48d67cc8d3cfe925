import { frameMs, gapMs, leastVoicedMs } from './turn-settings.ts';

/** One stretch of speech, from its first voice. */
export interface Utterance {
  id: number;
  startedAt: number;
  lastVoiceAt: number;
  voicedMs: number;
  /** Voice without a gap, gaps within words left out. */
  runMs: number;
}

/** Voiced frames among the last ones that begin an utterance. */
const onsetFrames = 3;
const onsetOf = 5;

/** Cuts frames of voice activity into utterances. */
export interface Listener {
  /** The utterance that goes on, silence at its end included; null between utterances. */
  current(): Utterance | null;
  frame(at: number, voiced: boolean): void;
  /** Ends the current one; null if it was too little voice to be words. */
  close(): Utterance | null;
}

export function createListener(): Listener {
  let current: Utterance | null = null;
  let recent: boolean[] = [];
  let ids = 0;
  return {
    current: () => current,
    frame(at, voiced) {
      if (current !== null) {
        if (voiced) {
          if (at - current.lastVoiceAt > gapMs) current.runMs = 0;
          current.lastVoiceAt = at;
          current.voicedMs += frameMs;
          current.runMs += frameMs;
        }
        return;
      }
      recent = [...recent.slice(-(onsetOf - 1)), voiced];
      const heard = recent.filter(Boolean).length;
      if (heard < onsetFrames) return;
      ids += 1;
      const voicedMs = heard * frameMs;
      current = {
        id: ids,
        startedAt: at - recent.length * frameMs,
        lastVoiceAt: at,
        voicedMs,
        runMs: voicedMs,
      };
      recent = [];
    },
    close() {
      const closed = current;
      current = null;
      recent = [];
      return closed !== null && closed.voicedMs >= leastVoicedMs ? closed : null;
    },
  };
}
