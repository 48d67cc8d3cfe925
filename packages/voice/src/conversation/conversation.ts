import type { SpokenItem } from '../realtime/speech-stream.ts';

/**
 * One call's dialogue: text in, text and actions out. It knows no audio: the turns of a call, a chat on a terminal and a scenario of a
 * test all speak with it in the same way.
 */
export interface Conversation {
  /** The words with which the agent begins; null if it waits for the person. */
  greeting(): Promise<string | null>;
  /** Answers what was said. Ends early, without an error, when the signal aborts. */
  reply(heard: string, signal: AbortSignal): AsyncIterable<ConversationStep>;
  /** Answers what has become of something that the agent began: the person has not said it. Ends early like `reply`. */
  told(words: string, signal: AbortSignal): AsyncIterable<ConversationStep>;
  /** What of the last answer the person heard, after an interruption, and how long. The history keeps only this. */
  heard(text: string, playedMs?: number): void;
  /** Keys that the person pressed, one after the other. */
  keysPressed(digits: string, signal: AbortSignal): AsyncIterable<ConversationStep>;
  /** The words for the nth silence of the person in a row, counted from 1; null: say nothing. */
  idle(nth: number): string | null;
  /** The words to leave on a mailbox; null if the agent leaves none. */
  voicemail(): string | null;
  /** After the call: what the agent's schema asks for, and a summary. */
  wrapUp(signal: AbortSignal): Promise<WrapUp>;
}

export interface WrapUp {
  extract: Record<string, unknown> | null;
  summary: string | null;
}

export type ConversationStep =
  /** A piece of speech, a sentence at a time; `sound` where a model has spoken it, and its words come with it. */
  | { kind: 'say'; text: string; sound?: SpokenItem }
  /** A tool has begun; nothing is said until it ends. */
  | { kind: 'working'; tool: string }
  | { kind: 'end_call'; reason: string }
  /** `target`: what the agent calls the number. */
  | { kind: 'transfer'; target: string; to: string; mode: 'warm' | 'cold' }
  | { kind: 'send_dtmf'; digits: string };
