import { type Answer, isOver, isPlayedOut, newAnswer, textOf } from './answer.ts';
import { heardText, heardUpTo } from './heard-words.ts';
import { createUtteranceDetector, type Utterance } from './utterance-detector.ts';
import type { TurnAction, TurnInput } from './turn-messages.ts';
import {
  acknowledgeAfterMs,
  keyPauseMs,
  keysAtMost,
  longestHelloMs,
  type TurnSettings,
} from './turn-settings.ts';
import { isBackChannel, isGreeting, isUnfinished } from './words.ts';

/** Who speaks when, on one call. It has no clock and does nothing: it is told what happens, and says what is to be done. */
export interface Turns {
  take(input: TurnInput): TurnAction[];
}

/** Audio before the first voice that belongs to it: a soft consonant. */
const leadMs = 200;
const tailMs = 120;
/** While the agent pauses for the person, less silence is enough to transcribe their words. */
const pausedSilenceMs = 300;

type AnswerInput = Extract<TurnInput, { answer: number }>;

interface ClosedUtterance extends Utterance {
  /** Said when the phone was picked up. */
  isHello: boolean;
}

export function createTurns(settings: TurnSettings): Turns {
  const listener = createUtteranceDetector();
  /** Being read, by their ids. */
  const reading = new Map<number, ClosedUtterance>();
  /** What the person has said that has no answer yet. */
  let said: { text: string; startedAt: number; endedAt: number } | null = null;
  /** The longest an utterance may be was reached: it is answered though it sounds unfinished. */
  let isForced = false;
  /** Keys that were pressed and have no answer yet. */
  let keys: { digits: string; at: number } | null = null;
  let answer: Answer | null = null;
  let answers = 0;
  let hasSpoken = false;
  let answeredAt = 0;
  let quietSince = 0;
  let wordsSince = 0;
  let lastVoiceAt = 0;
  /** How far the line was heard. Sound that came late puts it ahead of the clock, which all other inputs follow. */
  let heardUntil = 0;
  let idlePrompts = 0;
  let state: 'waiting' | 'on' | 'over' = 'waiting';
  let actions: TurnAction[] = [];

  const act = (action: TurnAction) => actions.push(action);

  function begin(kind: Answer['kind']): Answer {
    answers += 1;
    answer = newAnswer(answers, kind);
    return answer;
  }

  function hangUp(reason: string, at: number): void {
    if (answer !== null) cutOff(answer, at);
    state = 'over';
    act({ kind: 'hang_up', reason });
  }

  /** The answer ends here: the record and the history keep what was heard of it. */
  function cutOff(cut: Answer, at: number, text = heardText(cut.pieces, cut.playedMs)): void {
    act({ kind: 'drop_playback', answer: cut.id });
    act({ kind: 'heard', text, playedMs: cut.playedMs });
    if (text !== '') {
      act({
        kind: 'record',
        turn: { role: 'agent', text, startedAt: cut.firstPlayedAt ?? at, endedAt: at, interrupted: true },
      });
    }
    answer = null;
    quietSince = at;
  }

  function finish(done: Answer, at: number): void {
    const text = textOf(done);
    if (text !== '') {
      const startedAt = done.firstPlayedAt ?? at;
      act({ kind: 'record', turn: { role: 'agent', text, startedAt, endedAt: at, interrupted: false } });
    }
    answer = null;
    quietSince = at;
    wordsSince = Math.max(wordsSince, at);
    if (done.end !== null) return hangUp(done.end, at);
    respondIfDone(at);
  }

  /** There were no words before this, and the agent greets or has not begun. */
  const isHello = (utterance: Utterance): boolean =>
    !hasSpoken && utterance.runMs < longestHelloMs && (answer === null || answer.kind === 'greeting');

  function overVoice(utterance: Utterance, at: number): void {
    if (answer === null || answer.end !== null || answer.isTransferring || isHello(utterance)) return;
    if (utterance.runMs >= settings.dropAfterMs) return cutOff(answer, at);
    if (utterance.runMs >= settings.pauseAfterMs && !answer.paused) {
      answer.paused = true;
      act({ kind: 'pause_playback' });
    }
  }

  function resume(): void {
    if (answer?.paused !== true) return;
    answer.paused = false;
    act({ kind: 'resume_playback' });
  }

  function close(at: number, forced: boolean): void {
    const current = listener.current();
    const hello = current !== null && isHello(current);
    const closed = listener.close();
    if (closed === null) {
      if (reading.size === 0) resume();
      return;
    }
    if (forced) isForced = true;
    reading.set(closed.id, { ...closed, isHello: hello });
    const to = Math.min(at, closed.lastVoiceAt + tailMs);
    act({ kind: 'transcribe', utterance: closed.id, from: closed.startedAt - leadMs, to });
  }

  function onFrame(at: number, voiced: boolean): void {
    heardUntil = at;
    listener.frame(at, voiced);
    const current = listener.current();
    if (current === null) return;
    lastVoiceAt = current.lastVoiceAt;
    quietSince = at;
    if (voiced) overVoice(current, at);
    const silence = at - current.lastVoiceAt;
    const enough =
      answer?.paused === true ? Math.min(pausedSilenceMs, settings.silenceMs) : settings.silenceMs;
    if (silence >= enough) return close(at, false);
    if (at - current.startedAt >= settings.longestUtteranceMs) close(at, true);
  }

  function onTranscript(at: number, id: number, text: string): void {
    const utterance = reading.get(id);
    if (utterance === undefined) return;
    reading.delete(id);
    const words = text.trim();
    if (words === '') {
      if (reading.size === 0 && listener.current() === null) resume();
      return respondIfDone(at);
    }
    onWords(at, words, utterance);
  }

  /** What the carrier has heard. It would have said so if it had been cut off meanwhile, so what was to be said was heard. */
  function onSaid(at: number, text: string): void {
    const words = text.trim();
    if (words === '') return;
    const isGreetingNow = answer?.kind === 'greeting';
    if (answer !== null && !isGreetingNow && answer.complete && answer.end === null) finish(answer, at);
    lastVoiceAt = at;
    quietSince = at;
    onWords(at, words, { startedAt: at, lastVoiceAt: at, isHello: isGreetingNow });
  }

  function onInterrupted(at: number, heard: string): void {
    if (answer === null) return;
    const { end } = answer;
    cutOff(answer, at, heardUpTo(textOf(answer), heard));
    // A farewell that was cut off is one all the same.
    if (end !== null) hangUp(end, at);
  }

  function onWords(
    at: number,
    words: string,
    utterance: Pick<ClosedUtterance, 'startedAt' | 'lastVoiceAt' | 'isHello'>,
  ): void {
    const wasFirst = !hasSpoken;
    hasSpoken = true;
    wordsSince = at;
    idlePrompts = 0;
    const isPassing =
      (answer !== null && isBackChannel(words)) ||
      (wasFirst && utterance.isHello && answer !== null && isGreeting(words)) ||
      (answer !== null && (answer.end !== null || answer.isTransferring));
    if (isPassing) {
      const { startedAt, lastVoiceAt: endedAt } = utterance;
      act({ kind: 'record', turn: { role: 'person', text: words, startedAt, endedAt, interrupted: false } });
      if (reading.size === 0 && listener.current() === null) resume();
      return;
    }
    // The greeting is heard to its end before the first words are answered, whatever they were.
    if (answer !== null && !(utterance.isHello && answer.kind === 'greeting')) cutOff(answer, at);
    said = {
      text: said === null ? words : `${said.text} ${words}`,
      startedAt: said?.startedAt ?? utterance.startedAt,
      endedAt: utterance.lastVoiceAt,
    };
    respondIfDone(at);
  }

  function respondIfDone(at: number): void {
    if (said === null || answer !== null || keys !== null) return;
    if (reading.size > 0 || listener.current() !== null) return;
    const waits = isUnfinished(said.text) && !isForced;
    if (waits && Math.max(at, heardUntil) - lastVoiceAt < settings.unfinishedSilenceMs) return;
    const { text, startedAt, endedAt } = said;
    said = null;
    isForced = false;
    act({ kind: 'record', turn: { role: 'person', text, startedAt, endedAt, interrupted: false } });
    act({ kind: 'respond', answer: begin('reply').id, text });
  }

  function onTime(at: number): void {
    if (at - answeredAt >= settings.longestCallMs) return hangUp('call_too_long', at);
    if (answer !== null) {
      const { workingSince } = answer;
      const isLong = workingSince !== null && at - workingSince >= acknowledgeAfterMs;
      if (isLong && !answer.hasAcknowledged && isPlayedOut(answer)) {
        answer.hasAcknowledged = true;
        act({ kind: 'acknowledge', answer: answer.id });
      }
      return;
    }
    if (at - wordsSince >= settings.longestWordlessMs) return hangUp('no_words', at);
    if (keys !== null) return answerKeys(at);
    respondIfDone(at);
    if (answer !== null || said !== null || reading.size > 0 || listener.current() !== null) return;
    if (at - quietSince < settings.idleMs) return;
    if (idlePrompts >= settings.idlePrompts) return hangUp('silence', at);
    idlePrompts += 1;
    quietSince = at;
    act({ kind: 'prompt_idle', answer: begin('idle').id, nth: idlePrompts });
  }

  /** A key is no accident: the agent stops at once. */
  function onKey(at: number, digit: string): void {
    if (answer?.end != null || answer?.isTransferring === true) return;
    if (answer !== null) cutOff(answer, at);
    quietSince = at;
    wordsSince = at;
    idlePrompts = 0;
    keys = { digits: `${keys?.digits ?? ''}${digit}`.slice(0, keysAtMost), at };
  }

  /** A number is typed key by key, and each answer is a request to a model: one answer is for all of it. */
  function answerKeys(at: number): void {
    if (keys === null || at - keys.at < keyPauseMs) return;
    const { digits } = keys;
    keys = null;
    act({ kind: 'respond_to_keys', answer: begin('reply').id, digits });
  }

  /** Nothing that is said can be understood any more: better an end than a person who talks to a wall. */
  function onUnheard(): void {
    if (answer !== null) return;
    const apology = begin('reply');
    apology.hasApologized = true;
    apology.end = 'endpoint_failed';
    act({ kind: 'apologize', answer: apology.id });
  }

  function onAnswer(current: Answer, input: AnswerInput): void {
    const { at } = input;
    switch (input.kind) {
      case 'piece':
        current.workingSince = null;
        current.pieces.push({ text: input.text, audioMs: 0, done: false });
        return;
      case 'words': {
        const piece = current.pieces[input.index];
        if (piece !== undefined) piece.text = input.text;
        return;
      }
      case 'audio': {
        const piece = current.pieces[input.index];
        if (piece === undefined) return;
        piece.audioMs += input.ms;
        piece.done = input.done;
        break;
      }
      case 'played':
        if (input.ms > 0) current.firstPlayedAt ??= at;
        current.playedMs = Math.max(current.playedMs, input.ms);
        break;
      case 'working':
        current.workingSince = at;
        return;
      case 'transferring':
        current.isTransferring = input.isTransferring;
        if (current.isTransferring) resume();
        return;
      case 'replied':
        current.complete = true;
        current.end ??= input.end;
        // A farewell is not to be held up by "okay, bye".
        if (current.end !== null) resume();
        break;
      case 'failed':
        // The apology cannot be said either.
        if (current.hasApologized) return hangUp('endpoint_failed', at);
        current.hasApologized = true;
        current.complete = false;
        current.end = 'endpoint_failed';
        // Of what could not be spoken nothing more comes.
        for (const piece of current.pieces) piece.done = true;
        resume();
        act({ kind: 'apologize', answer: current.id });
        return;
    }
    if (isOver(current)) finish(current, at);
  }

  return {
    take(input) {
      actions = [];
      if (state === 'over') return actions;
      const { at } = input;
      if (input.kind === 'answered' && state === 'waiting') {
        state = 'on';
        answeredAt = at;
        quietSince = at;
        wordsSince = at;
        if (input.greets) act({ kind: 'greet', answer: begin('greeting').id });
        return actions;
      }
      if (state === 'waiting') return actions;
      if (input.kind === 'left') {
        if (answer !== null) cutOff(answer, at);
        state = 'over';
        return actions;
      }
      if (input.kind === 'frame') onFrame(at, input.voiced);
      if (input.kind === 'transcript') onTranscript(at, input.utterance, input.text);
      if (input.kind === 'said') onSaid(at, input.text);
      if (input.kind === 'interrupted') onInterrupted(at, input.heard);
      if (input.kind === 'key') onKey(at, input.digit);
      if (input.kind === 'unheard') onUnheard();
      if ('answer' in input && answer !== null && input.answer === answer.id) onAnswer(answer, input);
      if (input.kind === 'tick') onTime(at);
      return actions;
    },
  };
}
