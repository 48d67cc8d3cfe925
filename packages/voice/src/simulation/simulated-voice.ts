import { frameMs } from '../audio/mu-law.ts';
import { splitWords } from '../split-words.ts';

/** How long people and speech models take for a word. */
const wordMs = 350;

export const durationOf = (text: string): number => Math.max(1, splitWords(text).length) * wordMs;

export type SimulatedVoice = ReturnType<typeof createSimulatedVoice>;

/** Plays the agent's answers on the simulated clock. */
export function createSimulatedVoice() {
  let current: { answer: number; pieces: number; totalMs: number; playedMs: number } | null = null;
  let isPaused = false;
  const isTalking = () => current !== null && current.playedMs < current.totalMs;
  return {
    /** Returns the index of the text among the pieces of the answer. */
    add(answer: number, text: string): number {
      if (current?.answer !== answer) {
        current = { answer, pieces: 0, totalMs: 0, playedMs: 0 };
        isPaused = false;
      }
      current.totalMs += durationOf(text);
      current.pieces += 1;
      return current.pieces - 1;
    },
    setPaused(paused: boolean) {
      if (current !== null) isPaused = paused;
    },
    drop() {
      current = null;
    },
    /** Plays one frame. Null if there is nothing to play. */
    playFrame() {
      if (current === null || isPaused || !isTalking()) return null;
      current.playedMs += frameMs;
      return { answer: current.answer, ms: current.playedMs, isLast: !isTalking() };
    },
    isTalking,
    heardWords: () => (current === null ? 0 : current.playedMs / wordMs),
  };
}
