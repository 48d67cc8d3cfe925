import type { AgentVoice } from '@outdial/contracts';

/** The settings of the turn rules. Times are in milliseconds. */
export interface TurnSettings {
  /** How much silence ends the person's turn. */
  silenceMs: number;
  /** The same after an unfinished sentence. */
  unfinishedSilenceMs: number;
  /** An utterance is sent to the recognizer as soon as it seems to have ended, for one that hears nothing before. */
  readsAhead: boolean;
  /** The agent pauses once the person has talked over it for this time. */
  pauseAfterMs: number;
  /** The agent stops once the person has talked over it for this time. */
  dropAfterMs: number;
  /** An utterance is answered after this time, even without silence. */
  longestUtteranceMs: number;
  /** When keys are answered: after a pause, at one of these keys, or after this many. */
  keys: { timeoutMs: number; finishOn: string; length: number | null };
  /** The agent prompts the person after this much silence of both sides. */
  idleMs: number;
  /** How many prompts the agent gives before it hangs up. */
  idlePrompts: number;
  /** The agent hangs up after this much sound without words: hold music, a machine that hums. */
  longestWordlessMs: number;
  longestCallMs: number;
}

/** Anything shorter is a click or a breath, for which recognizers invent words. */
export const leastVoicedMs = 100;
/** A shorter gap, such as a stop consonant or a lost packet, does not interrupt a voice. */
export const gapMs = 240;
/** A person who picks up says "Hello?". Anything longer is a sentence, to which the greeting gives way. */
export const longestHelloMs = 1_500;
/** How long a tool works before the agent says so. */
export const acknowledgeAfterMs = 1_000;
/** How long the model may be silent before the agent says so: since it was asked, or since the person fell silent. */
const fillerAfterMs = 1_500;
const fillerAfterSilenceMs = 2_000;
const leastModelMs = 700;
/** How many keys are answered together. No card or account number is longer. */
export const keysAtMost = 50;

/** The person waits too long for the first words of a reply. */
export const isTooSilent = (modelMs: number, silenceMs: number): boolean =>
  modelMs >= fillerAfterMs ||
  // An older voice is not what the model answers, but a key for example.
  (modelMs >= leastModelMs &&
    silenceMs >= fillerAfterSilenceMs &&
    silenceMs - modelMs < fillerAfterSilenceMs);

export function turnSettingsOf(
  { turn, idle, keys }: Pick<AgentVoice, 'turn' | 'idle' | 'keys'>,
  { longestCallSeconds, readsAhead = false }: { longestCallSeconds: number; readsAhead?: boolean },
): TurnSettings {
  return {
    readsAhead,
    silenceMs: turn.silence_ms,
    unfinishedSilenceMs: turn.unfinished_silence_ms,
    pauseAfterMs: turn.pause_after_ms,
    dropAfterMs: turn.drop_after_ms,
    longestUtteranceMs: turn.longest_utterance_seconds * 1_000,
    keys: { timeoutMs: keys.timeout_ms, finishOn: keys.finish_on, length: keys.length ?? null },
    idleMs: idle.after_seconds * 1_000,
    idlePrompts: idle.prompts.length,
    longestWordlessMs: 60_000,
    longestCallMs: longestCallSeconds * 1_000,
  };
}
