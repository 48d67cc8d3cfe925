import type { SpokenPiece } from './heard-words.ts';

/** What the agent is saying, or is about to. */
export interface Answer {
  id: number;
  kind: 'greeting' | 'reply' | 'idle';
  pieces: SpokenPiece[];
  /** No further piece comes. */
  complete: boolean;
  /** The reason for which the agent hangs up after it. */
  end: string | null;
  playedMs: number;
  firstPlayedAt: number | null;
  paused: boolean;
  workingSince: number | null;
  /** A transfer is ringing: words said meanwhile interrupt nothing. */
  isTransferring: boolean;
  hasAcknowledged: boolean;
  hasApologized: boolean;
}

export function newAnswer(id: number, kind: Answer['kind']): Answer {
  return {
    id,
    kind,
    pieces: [],
    complete: false,
    end: null,
    playedMs: 0,
    firstPlayedAt: null,
    paused: false,
    workingSince: null,
    isTransferring: false,
    hasAcknowledged: false,
    hasApologized: false,
  };
}

const madeMs = (answer: Answer): number => answer.pieces.reduce((sum, { audioMs }) => sum + audioMs, 0);

/** Everything that has been made so far was played. */
export const isPlayedOut = (answer: Answer): boolean =>
  answer.pieces.every(({ done }) => done) && answer.playedMs >= madeMs(answer);

export const isOver = (answer: Answer): boolean => answer.complete && isPlayedOut(answer);

export const textOf = (answer: Answer): string => answer.pieces.map(({ text }) => text.trim()).join(' ');
