import type { Answer } from './answer.ts';
import type { TurnState } from './turn-state.ts';
import { transcribeOpenUtterance } from './open-utterance.ts';
import { isUnfinished } from './words.ts';

/** The transitions between the turns of the person and the agent. */

/** Ends an answer early: the record and the history keep only the words that were heard. */
export function cutOff(state: TurnState, answer: Answer, at: number, text = answer.heard()): void {
  state.act({ kind: 'drop_playback', answer: answer.id });
  state.act({ kind: 'heard', text, playedMs: answer.playedMs });
  endAnswer(state, answer, at, { text, interrupted: true });
}

/** Ends an answer that was played to its end. */
export function finish(state: TurnState, answer: Answer, at: number): void {
  // Its last words may have been on their way when the person began to speak.
  resume(state);
  endAnswer(state, answer, at, { text: answer.text(), interrupted: false });
  state.wordsSince = Math.max(state.wordsSince, at);
  if (answer.end !== null) return hangUp(state, answer.end, at);
  respondIfReady(state, at);
}

function endAnswer(
  state: TurnState,
  answer: Answer,
  at: number,
  { text, interrupted }: { text: string; interrupted: boolean },
): void {
  const startedAt = answer.firstPlayedAt ?? at;
  if (text !== '') state.agentSaid = text;
  if (text !== '') state.record({ role: 'agent', text, startedAt, endedAt: at, interrupted });
  state.answer = null;
  state.quietSince = at;
}

export function hangUp(state: TurnState, reason: string, at: number): void {
  if (state.answer !== null) cutOff(state, state.answer, at);
  state.act({ kind: 'hang_up', reason });
  leave(state, at);
}

/** Ends the call on both sides. What the person was saying still counts. */
export function leave(state: TurnState, at: number): void {
  if (state.answer !== null) cutOff(state, state.answer, at);
  state.phase = 'leaving';
  transcribeOpenUtterance(state, at);
  recordLastWords(state);
}

/** Records the person's last words, once all are transcribed. */
export function recordLastWords(state: TurnState): void {
  if (state.transcribing.size > 0) return;
  if (state.said !== null) state.record({ role: 'person', ...state.said, interrupted: false });
  state.said = null;
  state.phase = 'over';
}

export function resume(state: TurnState): void {
  if (state.answer?.paused !== true) return;
  state.answer.paused = false;
  state.act({ kind: 'resume_playback' });
}

/** Answers the person, once their turn is over. */
export function respondIfReady(state: TurnState, at: number): void {
  const { said, settings } = state;
  if (said === null || state.answer !== null || state.keys !== null || state.isListening()) return;
  const silenceMs = Math.max(at, state.heardUntil) - state.lastVoiceAt;
  const mayGoOn = !state.isForced && isUnfinished(said.text, state.agentSaid);
  if (mayGoOn && silenceMs < settings.unfinishedSilenceMs) return;
  state.said = null;
  state.isForced = false;
  state.record({ role: 'person', ...said, interrupted: false });
  state.act({ kind: 'respond', answer: state.beginAnswer('reply', at).id, text: said.text });
}

/** Answers all keys at once, after the last one: each answer is a request to a model. */
export function answerKeys(state: TurnState, at: number): void {
  const digits = state.keys?.digits ?? '';
  state.keys = null;
  state.act({ kind: 'respond_to_keys', answer: state.beginAnswer('reply', at).id, digits });
}
