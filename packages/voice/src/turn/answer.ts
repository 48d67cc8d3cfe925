import { splitWords } from '../split-words.ts';
import { heardText, Pace, spokenBeforeFailure, type SpokenPiece } from './heard-words.ts';
import type { TurnInput } from './turn-messages.ts';

export type AnswerInput = Extract<TurnInput, { answer: number }>;

/** An answer that the agent is giving, or is about to give. */
export class Answer {
  readonly id: number;
  readonly kind: 'greeting' | 'reply' | 'idle';
  readonly pieces: SpokenPiece[] = [];
  /** No further piece follows. */
  complete = false;
  /** The reason to hang up afterwards. */
  end: string | null = null;
  playedMs = 0;
  firstPlayedAt: number | null = null;
  paused = false;
  workingSince: number | null = null;
  /** The target of a transfer rings. Words of the person interrupt nothing meanwhile. */
  isTransferring = false;
  hasAcknowledged = false;

  readonly begunAt: number;
  readonly #pace: Pace;

  constructor(id: number, kind: Answer['kind'], begunAt = 0, pace = new Pace()) {
    this.id = id;
    this.kind = kind;
    this.begunAt = begunAt;
    this.#pace = pace;
  }

  /** Notes which pieces were planned, synthesized and played. Ignores other inputs. */
  noteProgress(input: AnswerInput): void {
    if (input.kind === 'piece') this.pieces.push({ text: input.text, audioMs: 0, done: false });
    if (input.kind === 'replied') this.complete = true;
    if (input.kind === 'audio') {
      const piece = this.pieces[input.index];
      if (piece === undefined) return;
      piece.audioMs += input.ms;
      piece.done = input.done;
      if (piece.done) this.#pace.add(piece);
    }
    if (input.kind === 'played') {
      if (input.ms > 0) this.firstPlayedAt ??= input.at;
      this.playedMs = Math.max(this.playedMs, input.ms);
    }
  }

  /** All pieces so far were played. */
  isPlayedOut(): boolean {
    const audioMs = this.pieces.reduce((sum, piece) => sum + piece.audioMs, 0);
    return this.pieces.every(({ done }) => done) && this.playedMs >= audioMs;
  }

  isOver(): boolean {
    return this.complete && this.isPlayedOut();
  }

  text(): string {
    return this.pieces
      .map(({ text }) => text.trim())
      .filter((text) => text !== '')
      .join(' ');
  }

  /** The words that the person has heard. */
  heard(): string {
    return heardText(this.pieces, this.playedMs, this.#pace);
  }

  /** The words that the person has not heard. */
  unheard(): string {
    return splitWords(this.text()).slice(splitWords(this.heard()).length).join(' ');
  }

  /** The synthesis has failed: pieces without all of their audio get no more, and keep only the words that it has. */
  breakOff(): void {
    for (const piece of this.pieces) {
      if (piece.done) continue;
      piece.text = spokenBeforeFailure(piece, this.#pace);
      piece.done = true;
    }
  }
}
