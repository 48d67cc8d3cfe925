/**
 * The events of a call that the turn rules act on. Times are milliseconds on one clock. `answer` is the number of an answer, so that late parts
 * of a dropped one can be recognized.
 */
export type TurnInput = { at: number } & (
  | { kind: 'answered'; greets: boolean }
  /**
   * A frame of 20 ms from the person. `isFar`: the voice is quieter than the person's, and does not interrupt the agent. `isFilled`: no sound has come, which
   * may still be on its way.
   */
  | { kind: 'frame'; voiced: boolean; isFar?: boolean; isFilled?: boolean }
  | { kind: 'tick' }
  /** Empty if nothing was understood. */
  | { kind: 'transcript'; utterance: number; text: string }
  /** The words of the open utterance so far, by a live recognizer, or up to an instant if they were read ahead. They may still change. */
  | { kind: 'partial'; text: string; readTo?: number }
  /** The recognizer and all its fallbacks failed on an utterance. */
  | { kind: 'unheard' }
  /** Words of the person, if the carrier recognizes speech. There are no frames then. */
  | { kind: 'said'; text: string }
  /** The person interrupted the agent after these words. Reported only by carriers that synthesize speech. */
  | { kind: 'interrupted'; heard: string }
  /** The person pressed a key. */
  | { kind: 'key'; digit: string }
  | { kind: 'piece'; answer: number; text: string }
  /** The words of a piece that a realtime model has spoken so far. */
  | { kind: 'words'; answer: number; index: number; text: string }
  /** More audio of a piece. */
  | { kind: 'audio'; answer: number; index: number; ms: number; done: boolean }
  /** How much of an answer was played, from its beginning. */
  | { kind: 'played'; answer: number; ms: number }
  /** A tool was called. */
  | { kind: 'working'; answer: number }
  /** The target of a transfer rings, or the transfer has failed. */
  | { kind: 'transferring'; answer: number; isTransferring: boolean }
  /** No further piece follows. `end`: the reason to hang up after the last one. */
  | { kind: 'replied'; answer: number; end: string | null }
  /** The language model or the speech model failed, and so did all fallbacks. */
  | { kind: 'failed'; answer: number }
  /** A mailbox has answered, which ends the conversation. `beeped`: it records from now on. */
  | { kind: 'machine'; beeped: boolean }
  /** A mailbox has beeped. */
  | { kind: 'beep' }
  /** The agent has to end the call, for this reason. It says so first, unless it already says goodbye. */
  | { kind: 'closing'; reason: string }
  /** The person or the carrier has hung up. */
  | { kind: 'left' }
);

export interface TurnRecord {
  role: 'agent' | 'person';
  text: string;
  /** On the clock of the inputs. */
  startedAt: number;
  endedAt: number;
  /** The person interrupted it; the text is what they heard. */
  interrupted: boolean;
}

export type TurnAction =
  | { kind: 'pause_playback' }
  | { kind: 'resume_playback' }
  /** Also stops the conversation's reply. */
  | { kind: 'drop_playback'; answer: number }
  /** Someone has begun to speak at this instant: a live recognizer may listen. The utterance is transcribed later. */
  | { kind: 'listen'; from: number }
  /** Transcribe this audio as far as it has come, because the utterance seems to have ended. If it has, `transcribe` follows for the same audio. */
  | { kind: 'read_ahead'; from: number; to: number }
  /** Transcribe the audio between two instants. */
  | { kind: 'transcribe'; utterance: number; from: number; to: number }
  | { kind: 'greet'; answer: number }
  /** The person seems to have said this and no more. A reply may be made ready, to be used if `respond` has the same words. */
  | { kind: 'prepare'; text: string }
  | { kind: 'respond'; answer: number; text: string }
  | { kind: 'respond_to_keys'; answer: number; digits: string }
  | { kind: 'prompt_idle'; answer: number; nth: number }
  /** Say a fixed phrase within this answer. */
  | { kind: 'acknowledge'; answer: number }
  | { kind: 'apologize'; answer: number }
  | { kind: 'say_farewell'; answer: number; reason: string }
  /** Say the rest of an answer, because the sound that stopped it was not meant to. Empty: the model had not written it. */
  | { kind: 'go_on'; answer: number; rest: string }
  | { kind: 'leave_message'; answer: number }
  /** Cut the last answer in the conversation's history to this text. */
  | { kind: 'heard'; text: string; playedMs: number }
  | { kind: 'record'; turn: TurnRecord }
  | { kind: 'hang_up'; reason: string };
