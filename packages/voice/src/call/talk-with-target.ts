import type { VoiceActivity } from '../activity/voice-activity.ts';
import type { ConversationStep } from '../conversation/conversation.ts';
import { createUtteranceDetector } from '../turn/utterance-detector.ts';
import { createAudioReceiver } from './audio-receiver.ts';
import type { CallParts } from './call-parts.ts';
import { createPlayback } from './playback.ts';
import { createSpeaker } from './speaker.ts';
import { createTakesCall, type TakesCall } from './takes-call.ts';

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
export function talkWithTarget(
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
