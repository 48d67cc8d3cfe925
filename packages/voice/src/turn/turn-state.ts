import { Answer } from './answer.ts';
import { Pace } from './heard-words.ts';
import type { TurnAction, TurnRecord } from './turn-messages.ts';
import type { TurnSettings } from './turn-settings.ts';
import { createUtteranceDetector, type Utterance } from './utterance-detector.ts';

export interface ClosedUtterance extends Utterance {
  /** Said as the person picked up. */
  isHello: boolean;
}

/** The state of the turns on one call. Times are instants of the inputs. */
export class TurnState {
  readonly settings: TurnSettings;
  /** `leaving`: the call is over, and the last words of the person are being transcribed. */
  phase: 'waiting' | 'on' | 'leaving' | 'over' = 'waiting';
  /** The actions that the current input causes. */
  actions: TurnAction[] = [];

  /** The answer that the agent gives now. */
  answer: Answer | null = null;
  answers = 0;
  idlePrompts = 0;

  readonly pace = new Pace();
  readonly utterances = createUtteranceDetector();
  /** Utterances that are being transcribed, by id. */
  readonly transcribing = new Map<number, ClosedUtterance>();
  /** The person's words since the last answer. */
  said: { text: string; startedAt: number; endedAt: number } | null = null;
  /** An answer that a voice has stopped, until it is known whether the voice has words. */
  stopped: { rest: string } | null = null;
  agentSaid = '';
  /** Keys that the person has pressed since the last answer. */
  keys: { digits: string; at: number } | null = null;
  /** An utterance reached the longest duration. It is answered even if it sounds unfinished. */
  isForced = false;
  hasSpoken = false;
  /** The last utterance that has enough voice for words. */
  listensTo = 0;
  /** The words of the open utterance so far. Empty if no recognizer listens. */
  partial = '';
  /** The end of the last frame that had a voice, or did not come in time. */
  unsureUntil = 0;
  /** The end of the audio that was read ahead, until the person goes on. */
  readTo: number | null = null;
  /** The words for which a reply was last made ready. */
  preparedFor = '';

  answeredAt = 0;
  /** The last voice or key of the person, or the end of the last answer. */
  quietSince = 0;
  /** The last words or keys of the person, or the end of the last answer. */
  wordsSince = 0;
  lastVoiceAt = 0;
  /** The end of the last frame. Delayed audio puts it ahead of the clock that all other inputs follow. */
  heardUntil = 0;

  constructor(settings: TurnSettings) {
    this.settings = settings;
  }

  act(action: TurnAction): void {
    this.actions.push(action);
  }

  record(turn: TurnRecord): void {
    this.act({ kind: 'record', turn });
  }

  beginAnswer(kind: Answer['kind'], at: number): Answer {
    this.answers += 1;
    this.stopped = null;
    this.answer = new Answer(this.answers, kind, at, this.pace);
    return this.answer;
  }

  /** The person speaks, or their words are being transcribed. */
  isListening(): boolean {
    return this.transcribing.size > 0 || this.utterances.current() !== null;
  }
}
