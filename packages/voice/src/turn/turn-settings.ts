/** How a call takes turns. Times are milliseconds. */
export interface TurnSettings {
  /** Silence that ends what a person says. */
  silenceMs: number;
  /** The same, where the words so far are an unfinished sentence. */
  unfinishedSilenceMs: number;
  /** Voice over the agent's that makes it pause. */
  pauseAfterMs: number;
  /** Voice over the agent's after which it gives up what it was saying. */
  dropAfterMs: number;
  /** What is said is taken as said after this long, whether or not there was a silence. */
  longestUtteranceMs: number;
  /** Silence of both sides after which the agent asks. */
  idleMs: number;
  /** How often it asks before it hangs up. */
  idlePrompts: number;
  /** Sound without a word that was understood, after which the agent hangs up: hold music, a machine that hums. */
  longestWordlessMs: number;
  longestCallMs: number;
}

/** One frame of audio, as voice activity is told. */
export const frameMs = 20;
/** Less voice than this is a click or a breath: recognizers invent words for it. */
export const leastVoicedMs = 100;
/** A gap in a voice that does not end a run of it: stops of consonants, packets that were lost. */
export const gapMs = 240;
/** A person who picks up says "Hello?"; longer than this it is a sentence, and the greeting gives way to it. */
export const longestHelloMs = 1_500;
/** Work of a tool after which the agent says that it is at it. */
export const acknowledgeAfterMs = 1_000;
/** After the last of some keys; people type faster. */
export const keyPauseMs = 500;
/** That are answered together: longer than the number of any card or account. */
export const keysAtMost = 50;
