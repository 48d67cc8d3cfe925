import { longestHelloMs } from './turn-settings.ts';
import type { TurnState } from './turn-state.ts';
import type { Utterance } from './utterance-detector.ts';

/** How much audio before the first voice belongs to the utterance: it may begin with a soft consonant. */
export const leadMs = 200;
const tailMs = 120;

/** A short utterance before any words, while the agent greets or has not begun. */
export const isHello = ({ hasSpoken, answer }: TurnState, utterance: Utterance): boolean =>
  !hasSpoken && utterance.runMs < longestHelloMs && (answer === null || answer.kind === 'greeting');

/** Ends the current utterance and has it transcribed. False if there is none, or it is too short for words. */
export function transcribeOpenUtterance(state: TurnState, at: number): boolean {
  const current = state.utterances.current();
  const hello = current !== null && isHello(state, current);
  const closed = state.utterances.close();
  if (closed === null) return false;
  state.transcribing.set(closed.id, { ...closed, isHello: hello });
  state.readTo = null;
  state.act({ kind: 'transcribe', utterance: closed.id, ...audioOf(closed, at) });
  return true;
}

/** The audio of an utterance, from a little before its first voice to a little after its last. */
const audioOf = ({ startedAt, lastVoiceAt }: Utterance, at: number) => ({
  from: startedAt - leadMs,
  to: Math.min(at, lastVoiceAt + tailMs),
});

/** Has the current utterance transcribed before it is certain that it has ended. */
export function readAhead(state: TurnState, utterance: Utterance, at: number): void {
  const audio = audioOf(utterance, at);
  if (state.readTo === audio.to) return;
  state.readTo = audio.to;
  state.act({ kind: 'read_ahead', ...audio });
}
