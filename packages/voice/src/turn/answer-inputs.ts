import type { Answer, AnswerInput } from './answer.ts';
import { cutOff, finish, hangUp, resume } from './floor.ts';
import type { TurnState } from './turn-state.ts';

/** @param answer the current answer; the caller discards inputs of earlier ones */
export function onAnswerInput(state: TurnState, answer: Answer, input: AnswerInput): void {
  const { at } = input;
  answer.noteProgress(input);
  switch (input.kind) {
    case 'piece':
      answer.workingSince = null;
      return;
    case 'words': {
      const piece = answer.pieces[input.index];
      if (piece !== undefined) piece.text = input.text;
      return;
    }
    case 'working':
      answer.workingSince = at;
      return;
    case 'transferring':
      answer.isTransferring = input.isTransferring;
      if (answer.isTransferring) resume(state);
      return;
    case 'failed':
      return onFailed(state, answer, at);
    case 'replied':
      answer.end ??= input.end;
      // "Okay, bye" must not hold up a farewell.
      if (answer.end !== null) resume(state);
      break;
    case 'audio':
    case 'played':
      break;
  }
  if (answer.isOver()) finish(state, answer, at);
}

/** Apologizes and hangs up. If the agent was about to hang up anyway, or the apology fails too, hangs up at once. */
function onFailed(state: TurnState, answer: Answer, at: number): void {
  answer.breakOff();
  state.act({ kind: 'heard', text: answer.text(), playedMs: answer.playedMs });
  if (answer.end !== null) return hangUp(state, answer.end, at);
  answer.complete = false;
  resume(state);
  apologize(state, answer);
}

/** Says goodbye and hangs up. */
export function onClosing(state: TurnState, at: number, reason: string): void {
  const { answer } = state;
  if (answer !== null && (answer.end !== null || answer.isTransferring)) return;
  if (answer !== null) cutOff(state, answer, at);
  const farewell = state.beginAnswer('reply', at);
  farewell.end = reason;
  state.act({ kind: 'say_farewell', answer: farewell.id, reason });
}

/** The person can no longer be understood. An apology and a hang-up are better than no reply. */
export function onUnheard(state: TurnState, at: number): void {
  if (state.answer === null) apologize(state, state.beginAnswer('reply', at));
}

function apologize(state: TurnState, answer: Answer): void {
  answer.end = 'endpoint_failed';
  state.act({ kind: 'apologize', answer: answer.id });
}
