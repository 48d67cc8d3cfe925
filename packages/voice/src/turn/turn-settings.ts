import type { AgentVoice } from '@outdial/contracts';

/** How a call takes turns. Times are in milliseconds. */
export interface TurnSettings {
  /** Silence that ends the person's turn. */
  silenceMs: number;
  /** The same after an unfinished sentence. */
  unfinishedSilenceMs: number;
  /** Voice over the agent's after which it pauses. */
  pauseAfterMs: number;
  /** Voice over the agent's after which it stops. */
  dropAfterMs: number;
  /** An utterance is answered after this time, even without silence. */
  longestUtteranceMs: number;
  /** Silence of both sides after which the agent asks. */
  idleMs: number;
  /** How often it asks before it hangs up. */
  idlePrompts: number;
  /** The agent hangs up after this much sound without words: hold music, a machine that hums. */
  longestWordlessMs: number;
  longestCallMs: number;
}

/** Less voice is a click or a breath, for which recognizers invent words. */
export const leastVoicedMs = 100;
/** A shorter gap does not interrupt a voice: stops of consonants, lost packets. */
export const gapMs = 240;
/** A person who picks up says "Hello?". Anything longer is a sentence, to which the greeting gives way. */
export const longestHelloMs = 1_500;
/** How long a tool works before the agent says so. */
export const acknowledgeAfterMs = 1_000;
/** After the last of several keys. People type faster. */
export const keyPauseMs = 500;
/** Answered together. No card or account number is longer. */
export const keysAtMost = 50;

export function turnSettingsOf(
  { turn, idle }: Pick<AgentVoice, 'turn' | 'idle'>,
  { longestCallSeconds }: { longestCallSeconds: number },
): TurnSettings {
  return {
    silenceMs: turn.silence_ms,
    unfinishedSilenceMs: turn.unfinished_silence_ms,
    pauseAfterMs: turn.pause_after_ms,
    dropAfterMs: turn.drop_after_ms,
    longestUtteranceMs: turn.longest_utterance_seconds * 1_000,
    idleMs: idle.after_seconds * 1_000,
    idlePrompts: idle.prompts.length,
    longestWordlessMs: 60_000,
    longestCallMs: longestCallSeconds * 1_000,
  };
}
