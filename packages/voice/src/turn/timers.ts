import { answerKeys, hangUp, respondIfReady } from './floor.ts';
import { acknowledgeAfterMs, isTooSilent } from './turn-settings.ts';
import type { TurnState } from './turn-state.ts';

/** Acts on timeouts. */
export function onTick(state: TurnState, at: number): void {
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
