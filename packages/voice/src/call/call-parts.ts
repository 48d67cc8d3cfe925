import type { VoiceActivity } from '../activity/voice-activity.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Leg } from '../legs/leg.ts';
import type { TurnRecord } from '../turn/turn-messages.ts';
import type { TurnSettings } from '../turn/turn-settings.ts';
import type { CallLine, TransferEnd, TransferLine, TransferStep } from './call-line.ts';
import type { CallQuality } from './call-quality.ts';
import type { CountsAs } from './fact-reporter.ts';

export interface CallParts {
  leg: Leg;
  conversation: Conversation;
  settings: TurnSettings;
  /** One for each person on the line. */
  createActivity: () => VoiceActivity;
  /**
   * Returns an empty text if nothing was understood.
   * @param late takes words that come after it has resolved
   */
  transcribe: (samples: Int16Array, signal: AbortSignal, late?: (words: string) => void) => Promise<string>;
  /** Hears an utterance while it is spoken. `transcribe` follows. */
  hear?: ((samples: Int16Array) => void) | undefined;
  speak: (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
  /** Cuts a scripted text into the pieces that are synthesized one by one. */
  piecesOf?: (text: string) => readonly string[];
  /** The text that the person must have heard. Null if there is none. */
  disclosure?: string | null;
  /** The call is over, and the person has not heard all of the disclosure. */
  onUndisclosed?: () => void;
  /** A realtime model's own words for a text. Null: the text was spoken as it is. */
  wordsSaid?: ((text: string) => string | null) | undefined;
  phrases: {
    acknowledgement: string;
    apology: string;
    farewell: string;
    optedOut: string;
    takesCall: string;
  };
  /** A monotonic clock. */
  nowMs: () => number;
  /** The agent speaks first. */
  greets: boolean;
  /** Null if this process does not know the provider. */
  line: CallLine | null;
  transferLine: TransferLine;
  onTransfer?: (step: TransferStep, end: TransferEnd) => void;
  mayBeMachine: boolean;
  /** A mailbox has answered. Resolves once that is recorded; the end of the call must be recorded after it. */
  onMachine: () => Promise<void>;
  /** The call cannot be held to its end. Resolves once that is recorded; the end of the call must be recorded after it. */
  onCountsAs?: (found: CountsAs) => Promise<void>;
  onTurn: (turn: TurnRecord) => void;
  optOutKey?: string | null;
  /** The person has asked, in clear words or (null) by the key, not to be called any more. Absent if the call has no number to suppress. */
  onOptOut?: ((words: string | null) => void) | undefined;
  /** The person hears the agent for the first time. */
  onVoice: () => void;
  onWait?: (stage: 'reply' | 'first_word', ms: number) => void;
  /** Receives the audio of both sides as the person hears it. */
  onSound?: {
    person(bytes: Uint8Array): void;
    agent(bytes: Uint8Array, at: number): void;
    /** The agent's audio from `at` on is not heard. */
    dropped(at: number): void;
  } | null;
  log: { warn(fields: object, message: string): void };
}

export interface CallEnd {
  reason: string;
  /** When the line was closed. What the person said last may be transcribed after it. */
  at: number;
  quality: CallQuality;
}

export interface RunningCall {
  tick(): void;
  frame(bytes: Uint8Array): void;
  key(digit: string): void;
  /** The words of the open utterance so far. */
  partial(text: string): void;
  /** The words of the person, if the carrier recognizes speech. */
  said(text: string): void;
  /** The person interrupted the agent after these words. Reported only by carriers that synthesize speech. */
  interrupted(heard: string): void;
  left(): void;
  /** Says that the call ends, and hangs up. */
  sayFarewell(reason: string): void;
  /** Ends the call at once, without a goodbye. */
  cut(reason: string): void;
  ended: Promise<CallEnd>;
}
