import { lineRate } from '../audio/mu-law.ts';
import type { ConversationStep } from '../conversation/conversation.ts';
import { optedOut } from '../conversation/phrases.ts';
import { isOptOut } from '../turn/opt-out-words.ts';
import { createMachineDetector } from '../machine/machine-detector.ts';
import { forScreening } from '../machine/machine-words.ts';
import { createVoicemailRules } from '../machine/voicemail-rules.ts';
import type { TurnAction, TurnInput, TurnRecord } from '../turn/turn-messages.ts';
import { createTurns } from '../turn/turns.ts';
import { createAgentSide } from './agent-side.ts';
import { createAudioReceiver } from './audio-receiver.ts';
import { createCallEnd } from './call-end.ts';
import type { CallParts, RunningCall } from './call-parts.ts';
import { createQualityMeter } from './call-quality.ts';
import { createDisclosure, withWhole } from './disclosure.ts';
import { createHearing } from './hearing.ts';
import { createPlayback } from './playback.ts';
import { createReplyAhead } from './reply-ahead.ts';
import { createSpeaker } from './speaker.ts';
import { createTransfers } from './transfers.ts';

/** How much audio is kept beyond the longest utterance, to include the audio before its first voice. */
const keptBeforeMs = 2_000;

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
  const lineEnd = new AbortController();
  /** Aborts when the person's last words are recorded. */
  const callEnd = new AbortController();
  /** Aborts when the person wants no more calls. */
  const optOutRequest = new AbortController();
  let isMailbox = false;
  let answerHeard: number | null = null;
  /** The last turn of the person came from a call screening assistant. */
  let isScreened = false;

  const transfers = createTransfers(parts);
  const ahead = createReplyAhead(conversation);
  const playback = createPlayback((bytes, at) => {
    leg.send(bytes, at);
    parts.onSound?.agent(bytes, at);
  });
  const receiver = createAudioReceiver({
    beganAt: answeredAt,
    keepMs: settings.longestUtteranceMs + keptBeforeMs,
    isVoice: (samples) => activity.isVoice(samples),
    onFrame({ bytes, samples, at, voiced, isFilled }) {
      if (end.isClosed()) return;
      parts.onSound?.person(bytes);
      const found = machine?.frame(at, voiced, samples) ?? null;
      if (found === 'unused_number' || found === 'overloaded') return onNetwork(found);
      if (found === 'machine' || found === 'mailbox_beep') onMachine(found === 'mailbox_beep');
      if (found === 'beep') dispatch({ at, kind: 'beep' });
      dispatch({ at, kind: 'frame', voiced, isFar: activity.isFar(), isFilled });
      hearing.heard(at);
    },
  });
  const hearing = createHearing(parts, {
    between: (from, to) => receiver.between(from, to),
    dispatch,
    onIdle: () => void end.endIfHeard(),
    onLateWords(words) {
      if (parts.onOptOut !== undefined && isOptOut(words, parts.disclosure ?? null)) stopCalls(words);
    },
    signal: callEnd.signal,
  });
  const speaker = createSpeaker({
    speak: parts.speak,
    wordsSaid: parts.wordsSaid,
    onAudio({ answer, index, words }, samples, done) {
      playback.begin(answer);
      playback.add(samples);
      if (transfers.target() === null) playback.sendWhole(nowMs());
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
    dial: (step) => transfers.dial(step, AbortSignal.any([lineEnd.signal, optOutRequest.signal])),
    onTransfer: (step, end) => parts.onTransfer?.(step, end),
    goOn: answer,
    piecesOf: parts.piecesOf ?? ((text) => [text]),
    speak(answer, text, sound) {
      if (!end.isClosed()) speaker.say(answer, text, sound);
    },
    dispatch,
    isOver: () => end.isClosed(),
    nowMs,
    log,
  });

  const end = createCallEnd(parts, {
    isHeard: hearing.isIdle,
    isAnswered: agent.idle,
    onClosed() {
      ahead.discard();
      lineEnd.abort();
      conversation.left();
      speaker.drop();
    },
    onOver() {
      callEnd.abort();
      agent.stop();
      if (!isMailbox && !disclosure.isHeard()) parts.onUndisclosed?.();
    },
  });

  function dispatch(input: TurnInput): void {
    if (end.isOver()) return;
    const current = rules;
    for (const action of current.take(input)) {
      // Once a mailbox has answered, the remaining actions of the conversation are void.
      if (end.isOver() || rules !== current) return;
      perform(action);
    }
  }

  /** Ends the conversation and leaves a message, or hangs up. */
  function onMachine(beeped: boolean): void {
    const answered = { at: nowMs(), kind: 'machine', beeped } as const;
    dispatch(answered);
    rules = createVoicemailRules();
    ahead.discard();
    isMailbox = true;
    const recorded = parts.onMachine();
    if (conversation.voicemail() === null) end.close('voicemail', recorded);
    else dispatch(answered);
  }

  /** The network, and not a person, has answered: hangs up. */
  function onNetwork(found: 'unused_number' | 'overloaded'): void {
    dispatch({ at: nowMs(), kind: 'machine', beeped: false });
    isMailbox = true;
    void end.hasFailed(found);
    end.close(found);
  }

  function stopAnswer(): void {
    // Once the person has left, the model may still carry out their opt-out.
    if (!end.isClosed()) agent.stop();
    speaker.drop();
  }

  function leave(reason: string): void {
    if (reason === 'process_ended') end.hurry();
    if (end.isClosed()) return;
    // The rules ask for the last words. The call does not end before.
    hearing.whileBusy(() => {
      end.close(reason);
      dispatch({ at: nowMs(), kind: 'left' });
    });
  }

  function record(turn: TurnRecord): void {
    if (turn.interrupted) quality.interrupted();
    if (turn.role === 'person') quality.personSpoke(turn.text, turn.endedAt);
    disclosure.turn(turn);
    parts.onTurn(turn);
    if (turn.role === 'person' && isOptOut(turn.text, parts.disclosure ?? null)) optOut(turn.text);
    const found = turn.role === 'person' ? (machine?.said(turn) ?? null) : null;
    isScreened = found === 'screening';
    if (found === 'unused_number') return onNetwork(found);
    if (found !== 'machine') return;
    if (!end.isClosed()) onMachine(false);
    else void parts.onMachine();
  }

  function optOut(words: string | null): void {
    if (parts.onOptOut === undefined) return;
    optOutRequest.abort();
    parts.onOptOut(words);
  }

  function onKey(digit: string): void {
    const at = nowMs();
    const isOptOutKey = digit === parts.optOutKey && parts.onOptOut !== undefined;
    if (!isOptOutKey) return dispatch({ at, kind: 'key', digit });
    stopCalls(null);
  }

  /** Suppresses the number, says so, and ends the call. */
  function stopCalls(words: string | null): void {
    optOut(words);
    dispatch({ at: nowMs(), kind: 'closing', reason: optedOut });
  }

  /** Answers the person. Before that, repeats a disclosure that they have not heard. */
  function answer(id: number, steps: (signal: AbortSignal) => AsyncIterable<ConversationStep>): void {
    if (end.isClosed()) return;
    // Who wants no more calls hears that this is done, and nothing else. No model decides about it.
    if (optOutRequest.signal.aborted) return dispatch({ at: nowMs(), kind: 'closing', reason: optedOut });
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
    ahead.discard();
    if (end.isClosed() || isMailbox || optOutRequest.signal.aborted || !disclosure.isHeard()) return;
    if (!isOptOut(text, parts.disclosure ?? null)) ahead.begin(text);
  }

  function perform(action: TurnAction): void {
    if (speaksToConversation.has(action.kind)) ahead.discard();
    switch (action.kind) {
      case 'prepare':
        return prepare(action.text);
      case 'greet':
        return agent.greet(action.answer);
      case 'respond': {
        const heard = isScreened ? forScreening(action.text) : action.text;
        return answer(action.answer, (signal) => ahead.replyTo(heard, signal));
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
        if (transfers.hasAnswered()) return;
        return agent.interject(action.answer, parts.phrases.acknowledgement);
      case 'apologize':
        stopAnswer();
        void end.hasFailed('endpoint_failed');
        return agent.say(action.answer, parts.phrases.apology);
      case 'go_on':
        if (action.rest === '') {
          return agent.converse(action.answer, (signal) => conversation.replyToEvent(wordsToGoOn, signal));
        }
        return sayRest(action.answer, action.rest);
      case 'say_farewell':
        if (action.reason === optedOut) return agent.say(action.answer, parts.phrases.optedOut);
        void end.hasFailed('process_ended');
        return agent.say(action.answer, parts.phrases.farewell);
      case 'leave_message':
        return agent.say(action.answer, conversation.voicemail() ?? '');
      case 'listen':
        return hearing.listen(action.from);
      case 'read_ahead':
        return hearing.readAhead(action.from, action.to);
      case 'transcribe':
        void hearing.transcribe(action.utterance, action.from, action.to);
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
        return end.close(action.reason);
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
    ended: end.ended.then((how) => ({ ...how, quality: quality.figures() })),
    tick() {
      if (end.isOver()) return;
      const now = nowMs();
      if (end.isClosed()) return end.tick(now);
      const target = transfers.target();
      if (target === null) {
        playback.tick(now);
        reportPosition(now);
        if (!speaker.isSpeaking() && playback.isSilent(now - (leg.lagMs?.() ?? 0))) transfers.allHeard();
      } else target.tick();
      receiver.tick(now);
      dispatch({ at: now, kind: 'tick' });
    },
    frame(bytes) {
      if (end.isClosed()) return;
      const target = transfers.target();
      if (target === null) receiver.frame(bytes, nowMs());
      else target.frame(bytes);
    },
    key(digit) {
      const target = transfers.target();
      if (target === null) onKey(digit);
      else target.key(digit);
    },
    partial: (text) => dispatch({ at: nowMs(), kind: 'partial', text }),
    said: (text) => dispatch({ at: nowMs(), kind: 'said', text }),
    interrupted: (heard) => dispatch({ at: nowMs(), kind: 'interrupted', heard }),
    left: () => leave('left'),
    sayFarewell: (reason) => dispatch({ at: nowMs(), kind: 'closing', reason }),
    cut: leave,
  };
}
