import { cutOff, leave, finish, hangUp, resume, answerKeys, respondIfReady } from './floor.ts';
import { onFrame, onInterrupted, onKey, onPartial, onSaid, onTranscript } from './person-inputs.ts';
import type { TurnAction, TurnInput } from './turn-messages.ts';
import { type TurnSettings, acknowledgeAfterMs, isTooSilent } from './turn-settings.ts';
import { TurnState } from './turn-state.ts';
import type { Answer, AnswerInput } from './answer.ts';

/** Decides which side speaks when on one call. It has no clock and no side effects: it takes inputs and returns actions. */
export interface Turns {
  take(input: TurnInput): TurnAction[];
}

export function createTurns(settings: TurnSettings): Turns {
  const state = new TurnState(settings);
  return {
    take(input) {
      state.actions = [];
      if (state.phase === 'waiting') begin(state, input);
      else if (state.phase === 'on') dispatch(state, input);
      else if (state.phase === 'leaving' && input.kind === 'transcript') {
        onTranscript(state, input.at, input.utterance, input.text);
      }
      return state.actions;
    },
  };
}

function begin(state: TurnState, input: TurnInput): void {
  if (input.kind !== 'answered') return;
  state.phase = 'on';
  state.answeredAt = input.at;
  state.quietSince = input.at;
  state.wordsSince = input.at;
  if (input.greets) state.act({ kind: 'greet', answer: state.beginAnswer('greeting', input.at).id });
}

function dispatch(state: TurnState, input: TurnInput): void {
  const { at } = input;
  if ('answer' in input) {
    const { answer } = state;
    if (answer !== null && answer.id === input.answer) onAnswerInput(state, answer, input);
    return;
  }
  switch (input.kind) {
    case 'frame':
      return onFrame(state, input);
    case 'transcript':
      return onTranscript(state, at, input.utterance, input.text);
    case 'partial':
      return onPartial(state, input.text, input.readTo ?? null);
    case 'unheard':
      return onUnheard(state, at);
    case 'said':
      return onSaid(state, at, input.text);
    case 'interrupted':
      return onInterrupted(state, at, input.heard);
    case 'key':
      return onKey(state, at, input.digit);
    case 'tick':
      return onTick(state, at);
    case 'machine':
      if (state.answer !== null) cutOff(state, state.answer, at);
      state.phase = 'over';
      return;
    case 'closing':
      return onClosing(state, at, input.reason);
    case 'left':
      return leave(state, at);
    default:
  }
}

/** @param answer the current answer; the caller discards inputs of earlier ones */
function onAnswerInput(state: TurnState, answer: Answer, input: AnswerInput): void {
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

function onClosing(state: TurnState, at: number, reason: string): void {
  const { answer } = state;
  if (answer !== null && (answer.end !== null || answer.isTransferring)) return;
  if (answer !== null) cutOff(state, answer, at);
  const farewell = state.beginAnswer('reply', at);
  farewell.end = reason;
  state.act({ kind: 'say_farewell', answer: farewell.id, reason });
}

/** The person can no longer be understood. An apology and a hang-up are better than no reply. */
function onUnheard(state: TurnState, at: number): void {
  if (state.answer === null) apologize(state, state.beginAnswer('reply', at));
}

function apologize(state: TurnState, answer: Answer): void {
  answer.end = 'endpoint_failed';
  state.act({ kind: 'apologize', answer: answer.id });
}

function onTick(state: TurnState, at: number): void {
  const { settings, answer } = state;
  if (at - state.answeredAt >= settings.longestCallMs) return hangUp(state, 'call_too_long', at);
  if (answer !== null) {
    const { workingSince } = answer;
    const isLong = workingSince !== null && at - workingSince >= acknowledgeAfterMs;
    const isUnanswered =
      answer.kind === 'reply' &&
      answer.end === null &&
      answer.pieces.length === 0 &&
      isTooSilent(at - answer.begunAt, at - state.lastVoiceAt);
    if ((isLong || isUnanswered) && !answer.hasAcknowledged && answer.isPlayedOut()) {
      answer.hasAcknowledged = true;
      state.act({ kind: 'acknowledge', answer: answer.id });
    }
    return;
  }
  if (at - state.wordsSince >= settings.longestWordlessMs) return hangUp(state, 'no_words', at);
  if (state.keys !== null) {
    if (at - state.keys.at >= settings.keys.timeoutMs) answerKeys(state, at);
    return;
  }
  if (state.said !== null) return respondIfReady(state, at);
  if (!state.isListening() && at - state.quietSince >= settings.idleMs) promptOrHangUp(state, at);
}

function promptOrHangUp(state: TurnState, at: number): void {
  if (state.idlePrompts >= state.settings.idlePrompts) return hangUp(state, 'silence', at);
  state.idlePrompts += 1;
  state.quietSince = at;
  state.act({ kind: 'prompt_idle', answer: state.beginAnswer('idle', at).id, nth: state.idlePrompts });
}
