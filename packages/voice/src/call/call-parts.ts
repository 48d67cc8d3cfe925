import type { VoiceActivity } from '../activity/voice-activity.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Leg } from '../legs/leg.ts';
import type { TurnRecord } from '../turn/turn-messages.ts';
import type { TurnSettings } from '../turn/turn-settings.ts';
import type { CallQuality } from './call-quality.ts';
import type { CallLine, TransferEnd, TransferLine, TransferStep } from './transfers.ts';

/** What a call is made of. */
export interface CallParts {
  leg: Leg;
  conversation: Conversation;
  settings: TurnSettings;
  activity: VoiceActivity;
  /** What was said in these samples of a line; empty if nothing was understood. */
  transcribe: (samples: Int16Array, signal: AbortSignal) => Promise<string>;
  speak: (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
  /** What was really said of a text, where a model has spoken it; null for the text itself. */
  wordsSaid?: ((text: string) => string | null) | undefined;
  phrases: { acknowledgement: string; apology: string };
  /** Milliseconds of a clock that never goes back. */
  nowMs: () => number;
  /** Whether the agent begins. */
  greets: boolean;
  /** What the carrier does besides sound; null if it does nothing. */
  line: CallLine | null;
  /** What a transfer takes before it is dialed. */
  transferLine: TransferLine;
  /** What became of a transfer. */
  onTransfer?: (step: TransferStep, end: TransferEnd) => void;
  /** Whether a mailbox may answer. */
  mayBeMachine: boolean;
  /** A mailbox has answered. Resolves when that is recorded: the end of the call comes after it. */
  onMachine: () => Promise<void>;
  onTurn: (turn: TurnRecord) => void;
  /** The person hears the agent for the first time. */
  onVoice: () => void;
  /** What the person has waited for, in milliseconds. */
  onWait?: (stage: 'reply' | 'first_word', ms: number) => void;
  /** Both sides, as the person hears them. */
  onSound?: {
    person(bytes: Uint8Array, at: number): void;
    agent(bytes: Uint8Array, at: number): void;
    /** What was to be heard from now on is not. */
    dropped(at: number): void;
  } | null;
  log: { warn(fields: object, message: string): void };
}

export interface RunningCall {
  tick(): void;
  frame(bytes: Uint8Array): void;
  key(digit: string): void;
  /** What the person said, where the carrier hears. */
  said(text: string): void;
  /** The carrier, which speaks, was cut off by the person after these words. */
  interrupted(heard: string): void;
  /** The person has left. */
  gone(): void;
  /** Ends without a goodbye, because the process ends. */
  cut(reason: string): void;
  over: Promise<{ reason: string; quality: CallQuality }>;
}
