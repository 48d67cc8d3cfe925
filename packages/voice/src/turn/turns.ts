import { onAnswerInput, onClosing, onUnheard } from './answer-inputs.ts';
import { cutOff, leave } from './floor.ts';
import { onFrame, onInterrupted, onKey, onPartial, onSaid, onTranscript } from './person-inputs.ts';
import { onTick } from './timers.ts';
import type { TurnAction, TurnInput } from './turn-messages.ts';
import type { TurnSettings } from './turn-settings.ts';
import { TurnState } from './turn-state.ts';

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
