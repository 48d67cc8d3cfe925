import type { ToolStep } from '../tools/tool.ts';

/**
 * The dialogue of one call: text in, text and actions out. It handles no audio, so that calls, chats on a terminal and scenarios can share it.
 * All replies end early, without an error, if their signal aborts.
 */
export interface Conversation {
  /** The agent's first words. Null if it waits for the person. */
  greeting(): Promise<string | null>;
  reply(heard: string, signal: AbortSignal): AsyncIterable<ConversationStep>;
  /** Begins a reply before it is certain that the person has ended. Nothing may be asked of the conversation until it is used or discarded. */
  prepare?: (heard: string) => PreparedReply;
  /** Tells the model the result of an action, and replies to it. */
  replyToEvent(text: string, signal: AbortSignal): AsyncIterable<ConversationStep>;
  replyToKeys(digits: string, signal: AbortSignal): AsyncIterable<ConversationStep>;
  /** The next answer begins with this text. */
  beginWith(text: string): void;
  /** After an interruption: cuts the last answer in the history to what the person heard. */
  heard(text: string, playedMs?: number): void;
  /** The agent says the rest of an answer that was cut. */
  goesOn(rest: string): void;
  /** The prompt for the nth silence in a row, counted from 1. Null: say nothing. */
  idle(nth: number): string | null;
  /** The message for a mailbox. Null if the agent leaves none. */
  voicemail(): string | null;
  /** The call is over. An answer that is still written runs to its end, but only opt-outs are carried out. */
  left(): void;
  /** After the call: the extract by the agent's schema, and the summary. */
  wrapUp(signal: AbortSignal): Promise<WrapUp>;
}

/** A reply that was written ahead, up to its first tool: only words that nobody may hear. */
export interface PreparedReply {
  /** The whole reply. Tools run from now on. */
  steps(signal: AbortSignal): AsyncIterable<ConversationStep>;
  /** Takes it back, with the words that it replies to. */
  discard(): void;
}

/** A conversation with a realtime model, which also recognizes and synthesizes speech. */
export interface RealtimeConversation extends Conversation {
  /** @param late takes words that come too late for the answer */
  transcribe(samples: Int16Array, signal: AbortSignal, late?: (words: string) => void): Promise<string>;
  /** Says a text word for word. */
  speak(text: string, signal: AbortSignal): AsyncGenerator<Int16Array<ArrayBuffer>, void, void>;
  /** The model's own words for a text. Null if the model was not asked to say the text. */
  wordsSaid(text: string): string | null;
  close(): void;
}

export interface WrapUp {
  extract: Record<string, unknown> | null;
  summary: string | null;
}

export type ConversationStep =
  /** A sentence. `sound`: the audio of a realtime model, which includes its words. */
  | { kind: 'say'; text: string; sound?: SpokenItem }
  /** A tool was called. Nothing is said until it ends. */
  | { kind: 'working'; tool: string }
  | ToolStep;

/** One item of a realtime model's speech: audio, with its words. */
export interface SpokenItem {
  id: string;
  /** The words so far. */
  text(): string;
  /** The length so far. */
  ms(): number;
  samples(signal: AbortSignal): AsyncGenerator<Int16Array<ArrayBuffer>, void, void>;
}
