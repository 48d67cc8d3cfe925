import { splitWords } from '../split-words.ts';
import { answerKeys, cutOff, finish, recordLastWords, hangUp, respondIfReady, resume } from './floor.ts';
import { heardUpTo } from './heard-words.ts';
import { isHello, leadMs, readAhead, transcribeOpenUtterance } from './open-utterance.ts';
import { keysAtMost, leastVoicedMs } from './turn-settings.ts';
import type { ClosedUtterance, TurnState } from './turn-state.ts';
import type { TurnInput } from './turn-messages.ts';
import type { Utterance } from './utterance-detector.ts';
import { asksToStop, isBackChannel, isGreeting, isSentence, isUnfinished } from './words.ts';

/** While the agent speaks or pauses, less silence is enough to transcribe the person's words. */
const pausedSilenceMs = 300;
/** The same after words that a live recognizer takes for a whole sentence. */
const sentenceSilenceMs = 240;
/** After this silence, the words so far are likely all. It is longer than the gaps within words. */
const likelyOverMs = 160;

export function onFrame(
  state: TurnState,
  { at, voiced, isFar = false, isFilled = false }: Extract<TurnInput, { kind: 'frame' }>,
): void {
  state.heardUntil = at;
  if (voiced || isFilled) state.unsureUntil = at;
  state.utterances.frame(at, voiced, isFar);
  const current = state.utterances.current();
  if (current === null) return;
  state.lastVoiceAt = current.lastVoiceAt;
  state.quietSince = at;
  if (current.voicedMs >= leastVoicedMs && state.listensTo !== current.id) {
    state.listensTo = current.id;
    state.partial = '';
    state.preparedFor = '';
    state.act({ kind: 'listen', from: current.startedAt - leadMs });
  }
  if (voiced) onVoiceOverAgent(state, current, at);
  if (voiced && state.readTo !== null) {
    state.readTo = null;
    state.partial = '';
  }
  const mayReadAhead = state.settings.readsAhead && state.answer === null;
  if (isLikelyOver(current, at)) {
    if (mayReadAhead && at - state.unsureUntil >= likelyOverMs) readAhead(state, current, at);
    prepare(state);
  }
  const { silenceMs, longestUtteranceMs } = state.settings;
  const usualMs = state.answer === null ? silenceMs : Math.min(pausedSilenceMs, silenceMs);
  const isWhole = state.partial !== '' && isSentence(saidSoFar(state), state.agentSaid);
  const enoughMs = isWhole ? Math.min(sentenceSilenceMs, usualMs) : usualMs;
  if (at - current.lastVoiceAt >= enoughMs) return closeUtterance(state, at);
  if (at - current.startedAt >= longestUtteranceMs) closeUtterance(state, at, { isForced: true });
}

const isLikelyOver = (utterance: Utterance, at: number) =>
  at - utterance.lastVoiceAt >= likelyOverMs && utterance.voicedMs >= leastVoicedMs;

export function onPartial(state: TurnState, text: string, readTo: number | null): void {
  const current = state.utterances.current();
  if (current === null || readTo !== state.readTo) return;
  state.partial = text.trim();
  if (isLikelyOver(current, state.heardUntil)) prepare(state);
}

const saidSoFar = ({ said, partial }: TurnState) => (said === null ? partial : `${said.text} ${partial}`);

/** Has a reply made ready for what the person has said so far, unless they may go on. */
function prepare(state: TurnState): void {
  const { partial } = state;
  const text = saidSoFar(state);
  const isFree = state.answer === null && state.stopped === null && state.keys === null;
  if (partial === '' || text === state.preparedFor || !isFree || state.transcribing.size > 0) return;
  if (isUnfinished(text, state.agentSaid)) return;
  state.preparedFor = text;
  state.act({ kind: 'prepare', text });
}

/** Pauses the agent, and stops it if the voice goes on. */
function onVoiceOverAgent(state: TurnState, utterance: Utterance, at: number): void {
  const { answer, settings } = state;
  if (answer === null || answer.end !== null || answer.isTransferring || isHello(state, utterance)) return;
  if (utterance.runMs >= settings.dropAfterMs) {
    const rest = answer.unheard();
    const isWorthIt = rest !== '' || !answer.complete;
    cutOff(state, answer, at);
    state.stopped = isWorthIt ? { rest } : null;
    return;
  }
  if (utterance.runMs >= settings.pauseAfterMs && !answer.paused) {
    answer.paused = true;
    state.act({ kind: 'pause_playback' });
  }
}

function closeUtterance(state: TurnState, at: number, { isForced } = { isForced: false }): void {
  if (!transcribeOpenUtterance(state, at)) {
    if (!state.isListening()) resume(state);
    goOn(state, at);
    return;
  }
  if (isForced) state.isForced = true;
}

export function onTranscript(state: TurnState, at: number, id: number, text: string): void {
  const utterance = state.transcribing.get(id);
  if (utterance === undefined) return;
  state.transcribing.delete(id);
  const words = text.trim();
  if (state.phase === 'leaving') {
    if (words !== '') addToSaid(state, words, utterance);
    return recordLastWords(state);
  }
  if (words !== '') return onWords(state, at, words, utterance);
  if (!state.isListening()) resume(state);
  if (goOn(state, at)) return;
  respondIfReady(state, at);
}

/** Words that the carrier recognized. It would have reported an interruption, so the agent's complete answer was heard. */
export function onSaid(state: TurnState, at: number, text: string): void {
  const words = text.trim();
  if (words === '') return;
  const { answer } = state;
  const isHello = answer?.kind === 'greeting';
  if (answer !== null && !isHello && answer.complete && answer.end === null) finish(state, answer, at);
  state.lastVoiceAt = at;
  state.quietSince = at;
  onWords(state, at, words, { startedAt: at, lastVoiceAt: at, isHello });
}

function onWords(
  state: TurnState,
  at: number,
  words: string,
  utterance: Pick<ClosedUtterance, 'startedAt' | 'lastVoiceAt' | 'isHello'>,
): void {
  const { answer } = state;
  const { startedAt, lastVoiceAt: endedAt } = utterance;
  const isYes = isBackChannel(words);
  // "Yeah, right, I see" may last as long as an interruption, and go on after a pause.
  if (answer === null && state.stopped !== null && isYes && !isEndOfQuestion(state.stopped.rest)) {
    state.record({ role: 'person', text: words, startedAt, endedAt, interrupted: false });
    state.wordsSince = at;
    goOn(state, at);
    return;
  }
  const isFirst = !state.hasSpoken;
  state.hasSpoken = true;
  state.wordsSince = at;
  state.idlePrompts = 0;
  const isReply =
    isYes && answer !== null && answer.complete && isEndOfQuestion(answer.unheard(), answer.text());
  const isAside = !isReply && (isYes || (isFirst && utterance.isHello && isGreeting(words)));
  const needsNoReply = answer !== null && (isAside || answer.end !== null || answer.isTransferring);
  if (needsNoReply) {
    state.record({ role: 'person', text: words, startedAt, endedAt, interrupted: false });
    if (!state.isListening()) resume(state);
    return;
  }
  // The first words are answered after the greeting, unless they are to end it.
  const waitsForGreeting = utterance.isHello && answer?.kind === 'greeting' && !asksToStop(words);
  const waits = waitsForGreeting || isReply;
  if (answer !== null && !waits) cutOff(state, answer, at);
  state.stopped = null;
  addToSaid(state, words, utterance);
  if (waits && !state.isListening()) resume(state);
  respondIfReady(state, at);
}

const wordsOfEnd = 3;

/** Only a few words of a question are left to be heard: a "yes" is its answer. */
const isEndOfQuestion = (rest: string, question = rest): boolean =>
  /\?\W*$/.test(question) && splitWords(rest).length <= wordsOfEnd;

/** Takes back a stop: the agent says the rest of its answer. False if it was not stopped, or the person still speaks. */
function goOn(state: TurnState, at: number): boolean {
  const { stopped } = state;
  const isFree = state.answer === null && state.said === null && state.keys === null && !state.isListening();
  if (stopped === null || !isFree) return false;
  const { id } = state.beginAnswer('reply', at);
  state.act({ kind: 'go_on', answer: id, rest: stopped.rest });
  return true;
}

function addToSaid(
  state: TurnState,
  words: string,
  { startedAt, lastVoiceAt: endedAt }: Pick<ClosedUtterance, 'startedAt' | 'lastVoiceAt'>,
): void {
  const { said } = state;
  state.said = {
    text: said === null ? words : `${said.text} ${words}`,
    startedAt: said?.startedAt ?? startedAt,
    endedAt,
  };
}

export function onInterrupted(state: TurnState, at: number, heard: string): void {
  const { answer } = state;
  if (answer === null || answer.isTransferring) return;
  cutOff(state, answer, at, heardUpTo(answer.text(), heard));
  // An interrupted farewell still ends the call.
  if (answer.end !== null) hangUp(state, answer.end, at);
}

/** A key press is deliberate, so the agent stops at once. */
export function onKey(state: TurnState, at: number, digit: string): void {
  const { answer, keys } = state;
  if (answer !== null && (answer.end !== null || answer.isTransferring)) return;
  if (answer !== null) cutOff(state, answer, at);
  state.quietSince = at;
  state.wordsSince = at;
  state.idlePrompts = 0;
  const { finishOn, length } = state.settings.keys;
  if (keys !== null && finishOn.includes(digit)) return answerKeys(state, at);
  const digits = `${keys?.digits ?? ''}${digit}`.slice(0, keysAtMost);
  state.keys = { digits, at };
  if (length !== null && digits.length >= length) answerKeys(state, at);
}
