import { setTimeout as delay } from 'node:timers/promises';
import type { Briefing } from '@outdial/core';
import { lineRate } from '../audio/mu-law.ts';
import type { ConversationStep, PreparedReply } from '../conversation/conversation.ts';
import { optedOut } from '../conversation/phrases.ts';
import { isOptOut } from '../turn/opt-out-words.ts';
import { createMachineDetector } from '../machine/machine-detector.ts';
import { forScreening } from '../machine/machine-words.ts';
import { createVoicemailRules } from '../machine/voicemail-rules.ts';
import type { TurnAction, TurnInput, TurnRecord } from '../turn/turn-messages.ts';
import { createTurns } from '../turn/turns.ts';
import { isSameSpeech } from '../turn/words.ts';
import { createAgentSide } from './agent-side.ts';
import { createAudioReceiver } from './audio-receiver.ts';
import type { CallEnd, CallParts, RunningCall } from './call-parts.ts';
import { createQualityMeter } from './call-quality.ts';
import { createDisclosure, withWhole } from './disclosure.ts';
import { createPlayback } from './playback.ts';
import { createSpeaker } from './speaker.ts';
import { talkWithTarget } from './talk-with-target.ts';
import { createTransfers, type TransferStep, wordsToBrief } from './transfers.ts';

/** How much audio is kept beyond the longest utterance, to include the audio before its first voice. */
const keptBeforeMs = 2_000;
/** The longest delay from our clock to the person's ear. */
const lastSoundMs = 250;
/** How long the last words of the person, and an opt-out that they asked for, are waited for once the call is over. */
const lastWordsMs = 8_000;
/** The same if the process ends. */
const lastWordsOfProcessMs = 2_500;

/** How long a line stays open until its failure is recorded. */
const recordedWithinMs = 1_000;

/** Tells the model that what stopped it was not meant for it. */
const wordsToGoOn = '[A noise interrupted you. Nobody said anything: go on.]';

/** What would mix with a reply that was begun ahead. */
const speaksToConversation: ReadonlySet<TurnAction['kind']> = new Set([
  'respond_to_keys',
  'prompt_idle',
  'go_on',
  'heard',
  'leave_message',
  'say_farewell',
  'hang_up',
]);

const isFailure = (reason: string) => reason === 'endpoint_failed' || reason === 'process_ended';

/** Runs one call from its answer to its end: connects audio and models to the turn rules. */
export function runCall(parts: CallParts): RunningCall {
  const { leg, conversation, settings, nowMs, log } = parts;
  const activity = parts.createActivity();
  const answeredAt = nowMs();
  const machine = parts.mayBeMachine ? createMachineDetector(answeredAt) : null;
  /** Replaced by the rules for voicemail once a mailbox has answered. */
  let rules = createTurns(settings);
  const quality = createQualityMeter(answeredAt, parts.onWait);
  const disclosure = createDisclosure(parts.disclosure ?? null);
  const ended = Promise.withResolvers<CallEnd>();
  /** Aborts when the line is closed. */
  const lineEnd = new AbortController();
  /** Aborts when the person's last words are recorded. */
  const callEnd = new AbortController();
  let isOver = false;
  let isMailbox = false;
  let hasOptedOut = false;
  let networkFound: 'unused_number' | 'overloaded' | null = null;
  let closed: { reason: string; at: number } | null = null;
  let waitsUntil = Infinity;
  let transcribing = 0;
  let answerHeard: number | null = null;
  /** Until when a live recognizer has heard the open utterance. */
  let heardUntil: number | null = null;
  /** The transcript of an utterance that seems to have ended. */
  let ahead: { from: number; to: number; text: Promise<string | null>; abort: AbortController } | null = null;
  /** A reply to what the person seems to have said. */
  let prepared: { text: string; reply: PreparedReply } | null = null;
  /** The talk with the target of a transfer. The line is theirs until the person is back. */
  let target: ReturnType<typeof talkWithTarget> | null = null;
  /** Resolves once the person has heard all that was said to them. */
  let quiet: PromiseWithResolvers<void> | null = null;
  /** The last turn of the person came from a call screening assistant. */
  let isScreened = false;

  const transfers = createTransfers({ line: parts.line, transferLine: parts.transferLine, log });
  const playback = createPlayback((bytes, at) => {
    leg.send(bytes, at);
    parts.onSound?.agent(bytes, at);
  });
  const receiver = createAudioReceiver({
    beganAt: answeredAt,
    keepMs: settings.longestUtteranceMs + keptBeforeMs,
    isVoice: (samples) => activity.isVoice(samples),
    onFrame({ bytes, samples, at, voiced, isFilled }) {
      if (isOver || closed !== null) return;
      parts.onSound?.person(bytes);
      const found = machine?.frame(at, voiced, samples) ?? null;
      if (found === 'unused_number' || found === 'overloaded') return onNetwork(found);
      if (found === 'machine' || found === 'mailbox_beep') onMachine(found === 'mailbox_beep');
      if (found === 'beep') dispatch({ at, kind: 'beep' });
      dispatch({ at, kind: 'frame', voiced, isFar: activity.isFar(), isFilled });
      if (heardUntil === null || parts.hear === undefined) return;
      parts.hear(receiver.between(heardUntil, at));
      heardUntil = at;
    },
  });
  const speaker = createSpeaker({
    speak: parts.speak,
    wordsSaid: parts.wordsSaid,
    onAudio({ answer, index, words }, samples, done) {
      playback.begin(answer);
      playback.add(samples);
      if (target === null) playback.sendWhole(nowMs());
      if (words !== null) dispatch({ at: nowMs(), kind: 'words', answer, index, text: words });
      const ms = (samples.length / lineRate) * 1_000;
      dispatch({ at: nowMs(), kind: 'audio', answer, index, ms, done });
    },
    onFailed(answer, error) {
      log.warn({ err: error }, 'speech synthesis failed');
      dispatch({ at: nowMs(), kind: 'failed', answer });
    },
  });
  const agent = createAgentSide({
    conversation,
    leg,
    line: parts.line,
    dial: (step) =>
      transfers.dial(step, lineEnd.signal, brief(step)).finally(() => {
        target = null;
        quiet = null;
      }),
    onTransfer: (step, end) => parts.onTransfer?.(step, end),
    piecesOf: parts.piecesOf ?? ((text) => [text]),
    speak(answer, text, sound) {
      if (closed === null) speaker.say(answer, text, sound);
    },
    dispatch,
    isOver: () => closed !== null,
    nowMs,
    log,
  });

  /** Talks with the target of a warm transfer, once the person has heard the last words to them. */
  function brief({ target: name }: TransferStep): Briefing {
    return async (join, signal) => {
      quiet = Promise.withResolvers();
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await Promise.race([quiet.promise, aborted]);
      if (signal.aborted || !(await join()) || signal.aborted) return false;
      target = talkWithTarget(parts, {
        activity: parts.createActivity(),
        words: (stopped) => conversation.replyToEvent(wordsToBrief(name), stopped),
        question: parts.phrases.takesCall,
        signal,
      });
      return target.taken;
    };
  }

  function dispatch(input: TurnInput): void {
    if (isOver) return;
    const current = rules;
    for (const action of current.take(input)) {
      // Once a mailbox has answered, the remaining actions of the conversation are void.
      if (isOver || rules !== current) return;
      perform(action);
    }
  }

  /** Ends the conversation and leaves a message, or hangs up. */
  function onMachine(beeped: boolean): void {
    const answered = { at: nowMs(), kind: 'machine', beeped } as const;
    dispatch(answered);
    rules = createVoicemailRules();
    discardPrepared();
    isMailbox = true;
    const recorded = parts.onMachine();
    if (conversation.voicemail() === null) void recorded.finally(() => close('voicemail'));
    else dispatch(answered);
  }

  /** The network, and not a person, has answered: hangs up. */
  function onNetwork(found: 'unused_number' | 'overloaded'): void {
    dispatch({ at: nowMs(), kind: 'machine', beeped: false });
    isMailbox = true;
    networkFound = found;
    void hasFailed(found);
    close(found);
  }

  function stopAnswer(): void {
    // Once the person has left, the model may still carry out their opt-out.
    if (closed === null) agent.stop();
    speaker.drop();
  }

  /** Closes the line. The call ends once the person's last words are recorded. */
  function close(reason: string): void {
    if (isOver || closed !== null) return;
    closed = { reason, at: nowMs() };
    waitsUntil = Math.min(waitsUntil, closed.at + lastWordsMs);
    discardPrepared();
    lineEnd.abort();
    conversation.left();
    speaker.drop();
    if (reason === 'left') leg.hangUp();
    else void hangUpOnceRecorded(reason);
    void endIfHeard();
  }

  /** A conversation that we broke off was not held: the person may be called again. Resolves once that is recorded. */
  function hasFailed(reason: string): Promise<void> {
    const outcome = networkFound === 'unused_number' ? 'invalid_number' : 'failed';
    return parts.onCountsAs?.({ outcome, reason }) ?? Promise.resolve();
  }

  async function hangUpOnceRecorded(reason: string): Promise<void> {
    const sound = delay(lastSoundMs);
    const isUnheld = isFailure(reason) || networkFound !== null;
    if (isUnheld) await Promise.race([hasFailed(reason), delay(recordedWithinMs)]);
    await sound;
    leg.hangUp();
  }

  async function endIfHeard(): Promise<void> {
    if (closed === null || transcribing > 0) return;
    await agent.idle();
    // The rules may have asked for the last words meanwhile.
    if (transcribing === 0) end();
  }

  function end(): void {
    if (isOver || closed === null) return;
    isOver = true;
    callEnd.abort();
    agent.stop();
    if (!isMailbox && !disclosure.isHeard()) parts.onUndisclosed?.();
    ended.resolve({ ...closed, quality: quality.figures() });
  }

  function leave(reason: string): void {
    if (reason === 'process_ended') waitsUntil = nowMs() + lastWordsOfProcessMs;
    if (closed !== null) return;
    // Counted before the rules know, so that the call does not end before they have asked for the last words.
    transcribing += 1;
    close(reason);
    dispatch({ at: nowMs(), kind: 'left' });
    transcribing -= 1;
    void endIfHeard();
  }

  /** Asks for a transcript that `transcribe` uses, unless the person goes on. */
  function readAhead(from: number, to: number): void {
    ahead?.abort.abort();
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, callEnd.signal]);
    const read = async () => {
      const words = await parts.transcribe(receiver.between(from, to), signal);
      if (!signal.aborted) dispatch({ at: nowMs(), kind: 'partial', text: words, readTo: to });
      return words;
    };
    ahead = { from, to, text: read().catch(() => null), abort };
  }

  /** The transcript that was asked for before, if it is of this audio and has not failed. */
  async function readBefore(from: number, to: number): Promise<string | null> {
    const known = ahead;
    ahead = null;
    if (known?.from === from && known.to === to) return known.text;
    known?.abort.abort();
    return null;
  }

  async function transcribe(utterance: number, from: number, to: number): Promise<void> {
    let text = '';
    let hasFailed = false;
    transcribing += 1;
    try {
      text =
        (await readBefore(from, to)) ?? (await parts.transcribe(receiver.between(from, to), callEnd.signal));
    } catch (error) {
      if (callEnd.signal.aborted) return;
      log.warn({ err: error }, 'an utterance could not be transcribed');
      hasFailed = true;
    }
    dispatch({ at: nowMs(), kind: 'transcript', utterance, text });
    if (hasFailed) dispatch({ at: nowMs(), kind: 'unheard' });
    transcribing -= 1;
    void endIfHeard();
  }

  function record(turn: TurnRecord): void {
    if (turn.interrupted) quality.interrupted();
    if (turn.role === 'person') quality.personSpoke(turn.text, turn.endedAt);
    disclosure.turn(turn);
    parts.onTurn(turn);
    if (turn.role === 'person' && isOptOut(turn.text, parts.disclosure ?? null)) optOut();
    const found = turn.role === 'person' ? (machine?.said(turn) ?? null) : null;
    isScreened = found === 'screening';
    if (found === 'unused_number') return onNetwork(found);
    if (found !== 'machine') return;
    if (closed === null) onMachine(false);
    else void parts.onMachine();
  }

  function optOut(): void {
    if (parts.onOptOut === undefined) return;
    hasOptedOut = true;
    parts.onOptOut();
  }

  function onKey(digit: string): void {
    const at = nowMs();
    const isOptOutKey = digit === parts.optOutKey && parts.onOptOut !== undefined;
    if (!isOptOutKey) return dispatch({ at, kind: 'key', digit });
    optOut();
    dispatch({ at, kind: 'closing', reason: optedOut });
  }

  /** Answers the person. Before that, repeats a disclosure that they have not heard. */
  function answer(id: number, steps: (signal: AbortSignal) => AsyncIterable<ConversationStep>): void {
    if (closed !== null) return;
    // Who wants no more calls hears that this is done, and nothing else. No model decides about it.
    if (hasOptedOut) return dispatch({ at: nowMs(), kind: 'closing', reason: optedOut });
    const owed = disclosure.next();
    if (owed === 'none_left') return leave('disclosure_not_heard');
    if (owed !== null) conversation.beginWith(owed.text);
    agent.converse(id, steps);
  }

  /** Goes on with an answer from where it was heard. A disclosure begins again, because only all of it counts. */
  function sayRest(id: number, rest: string): void {
    const owed = disclosure.next();
    if (owed === 'none_left') return leave('disclosure_not_heard');
    const text = owed === null ? rest : withWhole(owed.text, rest);
    conversation.goesOn(text);
    agent.say(id, text);
  }

  /** Begins a reply, unless the person is to hear something else first. */
  function prepare(text: string): void {
    discardPrepared();
    if (closed !== null || isMailbox || hasOptedOut || !disclosure.isHeard()) return;
    if (isOptOut(text, parts.disclosure ?? null)) return;
    const reply = conversation.prepare?.(text);
    if (reply !== undefined) prepared = { text, reply };
  }

  function discardPrepared(): void {
    prepared?.reply.discard();
    prepared = null;
  }

  /** The reply to these words, which was perhaps begun before. */
  function replyTo(heard: string, signal: AbortSignal): AsyncIterable<ConversationStep> {
    if (prepared === null || !isSameSpeech(prepared.text, heard)) {
      discardPrepared();
      return conversation.reply(heard, signal);
    }
    const { reply } = prepared;
    prepared = null;
    return reply.steps(signal);
  }

  function perform(action: TurnAction): void {
    if (speaksToConversation.has(action.kind)) discardPrepared();
    switch (action.kind) {
      case 'prepare':
        return prepare(action.text);
      case 'greet':
        return agent.greet(action.answer);
      case 'respond': {
        const heard = isScreened ? forScreening(action.text) : action.text;
        return answer(action.answer, (signal) => replyTo(heard, signal));
      }
      case 'respond_to_keys':
        return answer(action.answer, (signal) => conversation.replyToKeys(action.digits, signal));
      case 'prompt_idle': {
        const owed = disclosure.next();
        if (owed === 'none_left') return leave('disclosure_not_heard');
        const line = conversation.idle(action.nth) ?? '';
        return agent.say(action.answer, owed === null ? line : `${owed.text} ${line}`);
      }
      case 'acknowledge':
        // The target of a transfer has answered: the person is about to be on hold.
        if (quiet !== null) return;
        return agent.interject(action.answer, parts.phrases.acknowledgement);
      case 'apologize':
        stopAnswer();
        void hasFailed('endpoint_failed');
        return agent.say(action.answer, parts.phrases.apology);
      case 'go_on':
        if (action.rest === '') {
          return agent.converse(action.answer, (signal) => conversation.replyToEvent(wordsToGoOn, signal));
        }
        return sayRest(action.answer, action.rest);
      case 'say_farewell':
        if (action.reason === optedOut) return agent.say(action.answer, parts.phrases.optedOut);
        void hasFailed('process_ended');
        return agent.say(action.answer, parts.phrases.farewell);
      case 'leave_message':
        return agent.say(action.answer, conversation.voicemail() ?? '');
      case 'listen':
        heardUntil = action.from;
        return;
      case 'read_ahead':
        return readAhead(action.from, action.to);
      case 'transcribe':
        heardUntil = null;
        void transcribe(action.utterance, action.from, action.to);
        return;
      case 'pause_playback':
        return playback.pause();
      case 'resume_playback':
        return playback.resume();
      case 'drop_playback':
        stopAnswer();
        playback.drop();
        leg.flush();
        parts.onSound?.dropped(nowMs());
        return;
      case 'heard':
        return conversation.heard(action.text, action.playedMs);
      case 'record':
        return record(action.turn);
      case 'hang_up':
        return close(action.reason);
    }
  }

  /** Reports how much of the answer the person has heard. */
  function reportPosition(now: number): void {
    const position = playback.position(now - (leg.lagMs?.() ?? 0));
    if (position === null || position.ms === 0) return;
    if (answerHeard === null) {
      parts.onVoice();
      machine?.agentHeard();
    }
    if (answerHeard !== position.answer) {
      answerHeard = position.answer;
      quality.agentBegan(now);
    }
    dispatch({ at: now, kind: 'played', answer: position.answer, ms: position.ms });
  }

  dispatch({ at: answeredAt, kind: 'answered', greets: parts.greets });

  return {
    ended: ended.promise,
    tick() {
      if (isOver) return;
      const now = nowMs();
      if (closed !== null) return now >= waitsUntil ? end() : undefined;
      if (target === null) {
        playback.tick(now);
        reportPosition(now);
        if (!speaker.isSpeaking() && playback.isSilent(now - (leg.lagMs?.() ?? 0))) quiet?.resolve();
      } else target.tick();
      receiver.tick(now);
      dispatch({ at: now, kind: 'tick' });
    },
    frame(bytes) {
      if (closed !== null) return;
      if (target === null) receiver.frame(bytes, nowMs());
      else target.frame(bytes);
    },
    key: (digit) => (target === null ? onKey(digit) : target.key(digit)),
    partial: (text) => dispatch({ at: nowMs(), kind: 'partial', text }),
    said: (text) => dispatch({ at: nowMs(), kind: 'said', text }),
    interrupted: (heard) => dispatch({ at: nowMs(), kind: 'interrupted', heard }),
    left: () => leave('left'),
    sayFarewell: (reason) => dispatch({ at: nowMs(), kind: 'closing', reason }),
    cut: leave,
  };
}
