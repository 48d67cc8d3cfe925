/**
 * What the turns of a call are told, and what they ask for. Times are milliseconds on one clock, which the caller reads; `answer` is the
 * number of an answer, so that late parts of a dropped one are recognized.
 */
export type TurnInput = { at: number } &
  /** The call stands. `greets`: the agent begins. */
  (
    | { kind: 'answered'; greets: boolean }
    /** A frame of what the person says, of `frameMs`. */
    | { kind: 'frame'; voiced: boolean }
    | { kind: 'tick' }
    /** Empty if nothing was understood. */
    | { kind: 'transcript'; utterance: number; text: string }
    /** An utterance could not be read: the recognizer, and all that stand in for it, failed. */
    | { kind: 'unheard' }
    /** The person said this, where the carrier hears and there are no frames. */
    | { kind: 'said'; text: string }
    /** The person cut the agent off, where the carrier speaks: after these words of what it last began. */
    | { kind: 'interrupted'; heard: string }
    /** The person pressed a key. */
    | { kind: 'key'; digit: string }
    /** The conversation has a piece to say. */
    | { kind: 'piece'; answer: number; text: string }
    /** What a piece says, where it is known only as it is spoken. */
    | { kind: 'words'; answer: number; index: number; text: string }
    /** More audio of piece `index`. */
    | { kind: 'audio'; answer: number; index: number; ms: number; done: boolean }
    /** So much of an answer has been played, from its beginning. */
    | { kind: 'played'; answer: number; ms: number }
    /** A tool has begun. */
    | { kind: 'working'; answer: number }
    /** A transfer is ringing, or has ended. */
    | { kind: 'held'; answer: number; isHeld: boolean }
    /** No further piece comes. `end`: the agent hangs up after the last one. */
    | { kind: 'replied'; answer: number; end: string | null }
    /** The model, or the voice, has failed, with all that stand in for it. */
    | { kind: 'failed'; answer: number }
    /** A mailbox has answered; `beeped`: it records from now on. */
    | { kind: 'machine'; beeped: boolean }
    /** A mailbox has beeped. */
    | { kind: 'beep' }
    /** The person, or the carrier, has hung up. */
    | { kind: 'left' }
  );

export interface TurnRecord {
  role: 'agent' | 'person';
  text: string;
  /** On the clock of the inputs. */
  startedAt: number;
  endedAt: number;
  /** The person cut it off; the text is what was heard. */
  interrupted: boolean;
}

export type TurnAction =
  | { kind: 'pause_playback' }
  | { kind: 'resume_playback' }
  /** Also ends the conversation's reply. */
  | { kind: 'drop_playback'; answer: number }
  /** The audio from one instant to another is to be read. */
  | { kind: 'transcribe'; utterance: number; from: number; to: number }
  | { kind: 'greet'; answer: number }
  | { kind: 'respond'; answer: number; text: string }
  | { kind: 'respond_to_keys'; answer: number; digits: string }
  | { kind: 'prompt_idle'; answer: number; nth: number }
  /** Something that was agreed in advance, as a piece of this answer. */
  | { kind: 'acknowledge'; answer: number }
  | { kind: 'apologize'; answer: number }
  /** For a mailbox. */
  | { kind: 'leave_message'; answer: number }
  /** For the conversation's history. */
  | { kind: 'heard'; text: string; playedMs: number }
  | { kind: 'record'; turn: TurnRecord }
  | { kind: 'hang_up'; reason: string };
