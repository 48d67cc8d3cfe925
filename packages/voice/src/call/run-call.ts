import type { VoiceActivity } from '../activity/voice-activity.ts';
import { fromMuLaw } from '../audio/mu-law.ts';
import type { Conversation, ConversationStep } from '../conversation/conversation.ts';
import type { Leg } from '../legs/leg.ts';
import { createMachineEar } from '../machine/machine-ear.ts';
import { forScreening } from '../machine/machine-words.ts';
import { createVoicemailRules } from '../machine/voicemail-rules.ts';
import type { SpokenItem } from '../realtime/speech-stream.ts';
import type { TurnAction, TurnInput, TurnRecord } from '../turn/turn-messages.ts';
import type { TurnSettings } from '../turn/turn-settings.ts';
import { createTurns } from '../turn/turns.ts';
import { type CallQuality, watchQuality } from './call-quality.ts';
import { createEar } from './ear.ts';
import { createPlayback } from './playback.ts';
import { createSpeaker } from './speaker.ts';
import {
  type CallLine,
  createTransfers,
  type TransferEnd,
  type TransferLine,
  type TransferStep,
  wordsOfTransfer,
} from './transfers.ts';

/** What a call is made of. */
export interface CallParts {
  leg: Leg;
  conversation: Conversation;
  settings: TurnSettings;
  activity: VoiceActivity;
  /** What was said in these samples of a line; empty if nothing was understood. */
  transcribe: (samples: Int16Array, signal: AbortSignal) => Promise<string>;
  speak: (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
  /** What was really said of a text, where a model has spoken it; null for the text itself. */
  wordsSaid?: ((text: string) => string | null) | undefined;
  phrases: { acknowledgement: string; apology: string };
  /** Milliseconds of a clock that never goes back. */
  nowMs: () => number;
  /** Whether the agent begins. */
  greets: boolean;
  /** What the carrier does besides sound; null if it does nothing. */
  line: CallLine | null;
  /** What a transfer takes before it is dialed. */
  transferLine: TransferLine;
  /** What became of a transfer. */
  onTransfer?: (step: TransferStep, end: TransferEnd) => void;
  /** Whether a mailbox may answer. */
  mayBeMachine: boolean;
  /** A mailbox has answered. Resolves when that is recorded: the end of the call comes after it. */
  onMachine: () => Promise<void>;
  onTurn: (turn: TurnRecord) => void;
  /** The person hears the agent for the first time. */
  onVoice: () => void;
  /** What the person has waited for, in milliseconds. */
  onWait?: (stage: 'reply' | 'first_word', ms: number) => void;
  /** Both sides, as the person hears them. */
  onSound?: {
    person(bytes: Uint8Array, at: number): void;
    agent(bytes: Uint8Array, at: number): void;
    /** What was to be heard from now on is not. */
    dropped(at: number): void;
  } | null;
  log: { warn(fields: object, message: string): void };
}

export interface RunningCall {
  tick(): void;
  frame(bytes: Uint8Array): void;
  key(digit: string): void;
  /** What the person said, where the carrier hears. */
  said(text: string): void;
  /** The carrier, which speaks, was cut off by the person after these words. */
  interrupted(heard: string): void;
  /** The person has left. */
  gone(): void;
  /** Ends without a goodbye, because the process ends. */
  cut(reason: string): void;
  over: Promise<{ reason: string; quality: CallQuality }>;
}

/** Sound that is kept beyond the longest utterance: what came before its first voice. */
const keptBeforeMs = 2_000;

/** From our clock to the person's ear, at most. */
const lastSoundMs = 250;

/** Carries one call from its answer to its end: sound and models around the rules of the turns. */
export function runCall(parts: CallParts): RunningCall {
  const { leg, conversation, settings, activity, nowMs, log } = parts;
  const answeredAt = nowMs();
  const machine = parts.mayBeMachine ? createMachineEar(answeredAt) : null;
  /** Those of a conversation, until a mailbox answers. */
  let rules = createTurns(settings);
  const quality = watchQuality(answeredAt, parts.onWait);
  const ended = Promise.withResolvers<{ reason: string; quality: CallQuality }>();
  const whole = new AbortController();
  let reply = new AbortController();
  let isOver = false;
  let begun: number | null = null;
  /** What was said last came from an assistant that asks who calls. */
  let isScreened = false;

  const transfers = createTransfers({ line: parts.line, transferLine: parts.transferLine, log });
  const playback = createPlayback((bytes, at) => {
    leg.send(bytes, at);
    parts.onSound?.agent(bytes, at);
  });
  const ear = createEar({
    beganAt: answeredAt,
    keepMs: settings.longestUtteranceMs + keptBeforeMs,
    onFrame(bytes, at) {
      // The call may end at one of many frames that are filled in at once.
      if (isOver) return;
      parts.onSound?.person(bytes, at);
      const samples = fromMuLaw(bytes);
      const voiced = activity.isVoice(samples);
      const heard = machine?.frame(at, voiced, samples) ?? null;
      if (heard === 'machine' || heard === 'mailbox_beep') answeredByMachine(heard === 'mailbox_beep');
      if (heard === 'beep') give({ at, kind: 'beep' });
      give({ at, kind: 'frame', voiced });
    },
  });
  const speaker = createSpeaker({
    speak: parts.speak,
    wordsSaid: parts.wordsSaid,
    onAudio({ answer, index, words }, samples, done) {
      playback.begin(answer);
      playback.add(samples);
      if (words !== null) give({ at: nowMs(), kind: 'words', answer, index, text: words });
      give({ at: nowMs(), kind: 'audio', answer, index, ms: (samples.length / 8_000) * 1_000, done });
    },
    onFailed(answer, error) {
      log.warn({ err: error }, 'an answer could not be spoken');
      give({ at: nowMs(), kind: 'failed', answer });
    },
  });

  function give(input: TurnInput): void {
    if (isOver) return;
    const current = rules;
    for (const action of current.take(input)) {
      // What the conversation was about to do is of no use to a mailbox.
      if (isOver || rules !== current) return;
      follow(action);
    }
  }

  /** The conversation is over before it has begun. */
  function answeredByMachine(beeped: boolean): void {
    give({ at: nowMs(), kind: 'left' });
    const message = conversation.voicemail();
    rules = createVoicemailRules();
    const told = parts.onMachine();
    if (message === null) void told.finally(() => end('voicemail'));
    else give({ at: nowMs(), kind: 'machine', beeped });
  }

  function end(reason: string): void {
    if (isOver) return;
    isOver = true;
    whole.abort();
    reply.abort();
    speaker.drop();
    activity.close();
    // What was played last is still on its way.
    if (reason === 'left') leg.hangUp();
    else setTimeout(() => leg.hangUp(), lastSoundMs);
    ended.resolve({ reason, quality: quality.figures() });
  }

  function say(answer: number, text: string, sound?: SpokenItem): void {
    if (text.trim() === '' && sound === undefined) return;
    give({ at: nowMs(), kind: 'piece', answer, text });
    leg.words?.say(text);
    speaker.say(answer, text, sound);
  }

  function replied(answer: number, reason: string | null): void {
    leg.words?.end();
    give({ at: nowMs(), kind: 'replied', answer, end: reason });
  }

  function failed(answer: number, error: unknown): void {
    log.warn({ err: error }, 'an answer could not be given');
    give({ at: nowMs(), kind: 'failed', answer });
  }

  async function greet(answer: number): Promise<void> {
    const text = await conversation.greeting();
    if (text !== null) say(answer, text);
    replied(answer, null);
  }

  /** Speaks what the conversation says, step by step, until it ends or the person speaks. */
  async function converse(
    answer: number,
    steps: (signal: AbortSignal) => AsyncIterable<ConversationStep>,
    ending: string | null = null,
  ): Promise<void> {
    reply = new AbortController();
    const { signal } = reply;
    let reason: string | null = null;
    for await (const step of steps(signal)) {
      if (signal.aborted) return;
      if (step.kind === 'say') say(answer, step.text, step.sound);
      if (step.kind === 'working') give({ at: nowMs(), kind: 'working', answer });
      if (step.kind === 'end_call') reason = step.reason;
      if (step.kind === 'send_dtmf') await press(step.digits, signal);
      if (step.kind === 'transfer') return transfer(answer, step);
    }
    if (!signal.aborted) replied(answer, ending ?? reason);
  }

  async function press(digits: string, signal: AbortSignal): Promise<void> {
    if (leg.press !== undefined) return leg.press(digits);
    if ((await parts.line?.press(digits, signal)) !== true) log.warn({}, 'keys could not be pressed');
  }

  /** The agent stays until the target has answered; without an answer the conversation goes on. */
  async function transfer(answer: number, step: TransferStep): Promise<void> {
    give({ at: nowMs(), kind: 'held', answer, isHeld: true });
    give({ at: nowMs(), kind: 'working', answer });
    const end = await transfers.dial(step, whole.signal);
    if (isOver) return;
    parts.onTransfer?.(step, end);
    const isConnected = end.result === 'connected';
    if (isConnected && step.mode === 'cold') return replied(answer, 'transferred');
    if (!isConnected) give({ at: nowMs(), kind: 'held', answer, isHeld: false });
    return converse(
      answer,
      (signal) => conversation.told(wordsOfTransfer(step, end), signal),
      isConnected ? 'transferred' : null,
    );
  }

  async function read(utterance: number, from: number, to: number): Promise<void> {
    let text = '';
    try {
      text = await parts.transcribe(ear.between(from, to), whole.signal);
    } catch (error) {
      if (whole.signal.aborted) return;
      log.warn({ err: error }, 'an utterance could not be read');
      give({ at: nowMs(), kind: 'transcript', utterance, text });
      return give({ at: nowMs(), kind: 'unheard' });
    }
    give({ at: nowMs(), kind: 'transcript', utterance, text });
  }

  function later(answer: number, work: Promise<void>): void {
    work.catch((error: unknown) => failed(answer, error));
  }

  function follow(action: TurnAction): void {
    switch (action.kind) {
      case 'greet':
        return later(action.answer, greet(action.answer));
      case 'respond':
        return later(
          action.answer,
          converse(action.answer, (signal) =>
            conversation.reply(isScreened ? forScreening(action.text) : action.text, signal),
          ),
        );
      case 'respond_to_keys':
        return later(
          action.answer,
          converse(action.answer, (signal) => conversation.keysPressed(action.digits, signal)),
        );
      case 'prompt_idle': {
        const text = conversation.idle(action.nth);
        if (text !== null) say(action.answer, text);
        return replied(action.answer, null);
      }
      case 'acknowledge':
        return say(action.answer, parts.phrases.acknowledgement);
      case 'apologize':
        reply.abort();
        speaker.drop();
        say(action.answer, parts.phrases.apology);
        return replied(action.answer, null);
      case 'leave_message':
        say(action.answer, conversation.voicemail() ?? '');
        return replied(action.answer, null);
      case 'transcribe':
        void read(action.utterance, action.from, action.to);
        return;
      case 'pause_playback':
        return playback.pause();
      case 'resume_playback':
        return playback.resume();
      case 'drop_playback':
        reply.abort();
        speaker.drop();
        playback.drop();
        leg.flush();
        parts.onSound?.dropped(nowMs());
        return;
      case 'heard':
        return conversation.heard(action.text, action.playedMs);
      case 'record': {
        if (action.turn.role === 'person') quality.personSpoke(action.turn.text, action.turn.endedAt);
        if (action.turn.interrupted) quality.interrupted();
        parts.onTurn(action.turn);
        const said = action.turn.role === 'person' ? (machine?.said(action.turn) ?? null) : null;
        isScreened = said === 'screening';
        if (said === 'machine') answeredByMachine(false);
        return;
      }
      case 'hang_up':
        return end(action.reason);
    }
  }

  give({ at: answeredAt, kind: 'answered', greets: parts.greets });

  function position(now: number): void {
    const at = playback.position(now - (leg.lagMs?.() ?? 0));
    if (at === null || at.ms === 0) return;
    if (begun === null) {
      parts.onVoice();
      machine?.agentHeard();
    }
    if (begun !== at.answer) {
      begun = at.answer;
      quality.agentBegan(now);
    }
    give({ at: now, kind: 'played', answer: at.answer, ms: at.ms });
  }

  return {
    over: ended.promise,
    tick() {
      if (isOver) return;
      const now = nowMs();
      playback.tick(now);
      position(now);
      ear.tick(now);
      give({ at: now, kind: 'tick' });
    },
    frame: (bytes) => {
      if (!isOver) ear.frame(bytes, nowMs());
    },
    key(digit) {
      give({ at: nowMs(), kind: 'key', digit });
    },
    said(text) {
      give({ at: nowMs(), kind: 'said', text });
    },
    interrupted(heard) {
      give({ at: nowMs(), kind: 'interrupted', heard });
    },
    gone() {
      give({ at: nowMs(), kind: 'left' });
      end('left');
    },
    cut(reason) {
      give({ at: nowMs(), kind: 'left' });
      end(reason);
    },
  };
}
