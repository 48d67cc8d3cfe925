import type { Briefing, TransferResult } from '@outdial/core';
import { transfersAtMost } from '@outdial/engine';
import { wordsOfRefusedTransfer } from '../tools/call-tools.ts';
import type { TransferEnd, TransferStep } from './call-line.ts';
import type { CallParts } from './call-parts.ts';
import type { VoiceActivity } from '../activity/voice-activity.ts';
import type { ConversationStep } from '../conversation/conversation.ts';
import { createUtteranceDetector } from '../turn/utterance-detector.ts';
import { createAudioReceiver } from './audio-receiver.ts';
import { createPlayback } from './playback.ts';
import { createSpeaker } from './speaker.ts';
import { createTakesCall, type TakesCall } from './takes-call.ts';

/** Dials the transfers of one call, and talks with the target of a warm one. */
export function createTransfers(parts: CallParts) {
  const { line, transferLine, log } = parts;
  let attempts = 0;
  /** The talk with the target of a warm transfer. The line is theirs until the person is back. */
  let target: ReturnType<typeof talkWithTarget> | null = null;
  /** Resolves once the person has heard all that was said to them. */
  let quiet: PromiseWithResolvers<void> | null = null;

  /** Talks with the target, once the person has heard the last words to them. */
  function brief({ target: name }: TransferStep): Briefing {
    return async (join, signal) => {
      quiet = Promise.withResolvers();
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await Promise.race([quiet.promise, aborted]);
      if (signal.aborted || !(await join()) || signal.aborted) return false;
      target = talkWithTarget(parts, {
        activity: parts.createActivity(),
        words: (stopped) => parts.conversation.replyToEvent(wordsToBrief(name), stopped),
        question: parts.phrases.takesCall,
        signal,
      });
      return target.taken;
    };
  }

  async function tryToDial(step: TransferStep, signal: AbortSignal): Promise<TransferEnd> {
    attempts += 1;
    if (attempts > transfersAtMost) return { result: 'refused', reason: 'too_many_transfers' };
    if (line === null) return { result: 'failed' };
    let result: TransferResult = 'failed';
    try {
      const reason = await transferLine.reserve(step);
      if (reason !== null) return { result: 'refused', reason };
      if (!signal.aborted) {
        result = await line.transfer(step.to, signal, step.mode === 'warm' ? brief(step) : undefined);
      }
    } catch (error) {
      log.warn({ err: error }, 'a transfer failed');
    } finally {
      // Needed even if the reservation failed, because it may have been committed. The next transfer waits for the release.
      if (result !== 'connected') await transferLine.release();
    }
    return { result };
  }

  return {
    /** Reserves a line just before dialing. Unless the target is connected, the line is free again when this resolves. */
    async dial(step: TransferStep, signal: AbortSignal): Promise<TransferEnd> {
      try {
        return await tryToDial(step, signal);
      } finally {
        target = null;
        quiet = null;
      }
    },
    /** Whoever is on the line instead of the person. */
    target: () => target,
    /** The target of a warm transfer has answered: the person is on hold, or is about to be. */
    hasAnswered: () => quiet !== null,
    /** The person has heard all that was said to them. */
    allHeard: () => quiet?.resolve(),
  };
}

/** Asks the model for what the target of a warm transfer is told. */
const wordsToBrief = (target: string): string =>
  `[${target} is on the line and hears you. The person is on hold and does not. Say in one sentence to ${target} who is calling and why. They are then asked whether they take the call.]`;

const wordsOfFailure: Readonly<Record<Exclude<TransferResult, 'connected'>, string>> = {
  busy: 'the line is busy',
  no_answer: 'no answer',
  not_taken: 'nobody took the call, or a mailbox answered. The person heard none of it',
  failed: 'a technical fault',
};

/** Tells the model why the person is still there. */
export function wordsOfTransfer(
  { target }: TransferStep,
  end: Exclude<TransferEnd, { result: 'connected' }>,
): string {
  if (end.result === 'refused') return `[${wordsOfRefusedTransfer(target, end.reason)}]`;
  return `[The transfer failed: ${wordsOfFailure[end.result]}. The person is with you again.]`;
}

const endOfUtteranceMs = 500;
const longestUtteranceMs = 8_000;
const keptBeforeMs = 2_000;
const leadMs = 200;
/** Its words are no answers of the call. */
const briefing = 0;

/**
 * The agent talks with the target of a warm transfer, while the person is on hold: says who is calling, and asks whether they take the call. Nothing of it is recorded
 * or transcribed for the call, and nothing that the target says counts as the person's.
 */
function talkWithTarget(
  parts: Pick<CallParts, 'leg' | 'speak' | 'wordsSaid' | 'hear' | 'transcribe' | 'nowMs' | 'log'>,
  talk: {
    activity: VoiceActivity;
    words: (signal: AbortSignal) => AsyncIterable<ConversationStep>;
    question: string;
    signal: AbortSignal;
  },
) {
  const { leg, nowMs, log } = parts;
  const beganAt = nowMs();
  const taken = Promise.withResolvers<boolean>();
  const over = new AbortController();
  const signal = AbortSignal.any([talk.signal, over.signal]);
  const answer = createTakesCall(beganAt);
  const utterances = createUtteranceDetector();
  const playback = createPlayback((bytes, at) => leg.send(bytes, at));
  /** The question follows what is being said. */
  let isAboutToAsk = false;

  const speaker = createSpeaker({
    speak: parts.speak,
    wordsSaid: parts.wordsSaid,
    onAudio: (_, samples) => playback.add(samples),
    onFailed(_, error) {
      log.warn({ err: error }, 'the target of a transfer could not be told who is calling');
      end(false);
    },
  });
  const receiver = createAudioReceiver({
    beganAt,
    keepMs: longestUtteranceMs + keptBeforeMs,
    isVoice: (samples) => talk.activity.isVoice(samples),
    onFrame({ at, voiced }) {
      utterances.frame(at, voiced, false);
      const current = utterances.current();
      if (current === null) return;
      answer.voice(at);
      const isOver = at - current.lastVoiceAt >= endOfUtteranceMs;
      if (!isOver && at - current.startedAt < longestUtteranceMs) return;
      const closed = utterances.close();
      if (closed !== null) void hear(closed.startedAt - leadMs, closed.lastVoiceAt);
    },
  });

  function end(isTaken: boolean): void {
    over.abort();
    speaker.drop();
    playback.drop();
    leg.flush();
    taken.resolve(isTaken);
  }

  function decide(found: TakesCall | null): void {
    if (signal.aborted || found === null) return;
    if (found === 'ask_again') isAboutToAsk = true;
    else end(found === 'takes');
  }

  async function hear(from: number, to: number): Promise<void> {
    try {
      const samples = receiver.between(from, to);
      // A live recognizer transcribes what it has heard.
      parts.hear?.(samples);
      const text = (await parts.transcribe(samples, signal)).trim();
      if (text !== '') decide(answer.said(text, to));
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'the target of a transfer was not understood');
    }
  }

  async function tell(): Promise<void> {
    try {
      for await (const step of talk.words(signal)) {
        if (signal.aborted) return;
        if (step.kind === 'say') speaker.say(briefing, step.text, step.sound);
      }
      isAboutToAsk = true;
    } catch (error) {
      log.warn({ err: error }, 'the target of a transfer could not be told who is calling');
      end(false);
    }
  }

  talk.signal.addEventListener('abort', () => end(false), { once: true });
  void tell();

  return {
    taken: taken.promise,
    frame: (bytes: Uint8Array) => receiver.frame(bytes, nowMs()),
    key: (digit: string) => decide(answer.key(digit)),
    tick() {
      const now = nowMs();
      if (signal.aborted) return;
      playback.tick(now);
      receiver.tick(now);
      if (speaker.isSpeaking() || !playback.isSilent(now)) answer.voice(now);
      else if (isAboutToAsk) {
        isAboutToAsk = false;
        answer.asks(now);
        speaker.say(briefing, talk.question);
      }
      decide(answer.tick(now));
    },
  };
}
