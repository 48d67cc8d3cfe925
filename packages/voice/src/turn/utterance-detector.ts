import { frameMs } from '../audio/mu-law.ts';
import { gapMs, leastVoicedMs } from './turn-settings.ts';

/** One stretch of speech, from its first voice. */
export interface Utterance {
  id: number;
  startedAt: number;
  lastVoiceAt: number;
  voicedMs: number;
  /** Voice of the person since the last gap, and not of others in the background. */
  runMs: number;
  lastNearAt: number;
}

/** An utterance begins with this many voiced frames of the last five. */
const onsetFrames = 3;
const onsetOf = 5;

export function createUtteranceDetector() {
  let current: Utterance | null = null;
  let recent: boolean[] = [];
  let ids = 0;
  return {
    /** The current utterance, including silence at its end. Null between utterances. */
    current: (): Utterance | null => current,
    frame(at: number, voiced: boolean, isFar: boolean) {
      if (current !== null) {
        if (voiced) {
          current.lastVoiceAt = at;
          current.voicedMs += frameMs;
        }
        if (voiced && !isFar) {
          if (at - current.lastNearAt > gapMs) current.runMs = 0;
          current.lastNearAt = at;
          current.runMs += frameMs;
        }
        return;
      }
      recent = [...recent.slice(-(onsetOf - 1)), voiced];
      const voicedFrames = recent.filter(Boolean).length;
      if (voicedFrames < onsetFrames) return;
      ids += 1;
      const voicedMs = voicedFrames * frameMs;
      current = {
        id: ids,
        startedAt: at - recent.length * frameMs,
        lastVoiceAt: at,
        voicedMs,
        runMs: isFar ? 0 : voicedMs,
        lastNearAt: at,
      };
      recent = [];
    },
    /** Ends the current utterance. Null if it has too little voice for words. */
    close(): Utterance | null {
      const closed = current;
      current = null;
      recent = [];
      return closed !== null && closed.voicedMs >= leastVoicedMs ? closed : null;
    },
  };
}
