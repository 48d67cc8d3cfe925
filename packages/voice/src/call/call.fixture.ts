import type { Briefing, TransferResult } from '@outdial/core';
import type { TransferRefusal } from '@outdial/engine';
import type { VoiceActivity } from '../activity/voice-activity.ts';
import { fromMuLaw, lineRate, toMuLaw } from '../audio/mu-law.ts';
import type { Conversation, ConversationStep } from '../conversation/conversation.ts';
import { prepareReply } from '../conversation/prepared-reply.ts';
import { splitSentences } from '../conversation/sentences.ts';
import { settings } from '../turn/stage.fixture.ts';
import type { TurnRecord } from '../turn/turn-messages.ts';
import type { CountsAs } from './fact-reporter.ts';
import { runCall } from './run-call.ts';

export interface FakeCall {
  greeting?: string | null;
  voicemail?: string | null;
  /** The text that the person must have heard. Part of the greeting. */
  disclosure?: string;
  optOutKey?: string;
  /** False: the provider cannot press keys. */
  canPress?: boolean;
  /** The agent's steps in reply. */
  answer?: (heard: string, signal: AbortSignal) => AsyncIterable<ConversationStep>;
  /** Transcripts of the next utterances. */
  transcripts?: string[];
  /** Words that come too late for each utterance. */
  lateWords?: Promise<string>;
  /** The recognizer waits for it. */
  heardAt?: Promise<void>;
  /** By default, every loud frame is voice. */
  activity?: VoiceActivity;
  transfer?: (to: string, signal: AbortSignal, brief?: Briefing) => Promise<TransferResult>;
  /** Why the second line may not be reserved. */
  refusal?: () => Promise<TransferRefusal | null>;
  /** Resolves once the second line is released. */
  release?: () => Promise<void>;
  speak?: (text: string) => AsyncIterable<Int16Array>;
  /** Resolves once it is recorded that a mailbox has answered. */
  machineRecorded?: Promise<void>;
}

const speechMs = 1_000;
const voice = toMuLaw(new Int16Array(160).fill(8_000));
const silence = toMuLaw(new Int16Array(160));

/** A call with fake audio, models and clock. Every sentence of the agent takes a second. */
export function callWith(args: FakeCall) {
  let now = 0;
  const sent: Uint8Array[] = [];
  const turns: TurnRecord[] = [];
  const heardByModel: string[] = [];
  const keysAnswered: string[] = [];
  const pressed: string[] = [];
  const spoken: string[] = [];
  const results: Array<TransferResult | 'refused'> = [];
  /** Uses of the second line, in order. */
  const secondLine: Array<'reserved' | 'released'> = [];
  const transcripts = [...(args.transcripts ?? [])];
  const utterances: number[] = [];
  const heardLive: number[] = [];
  /** The words whose reply was begun, and then discarded. */
  const discarded: string[] = [];
  /** What the conversation was told of answers that were not heard in full. */
  const cuts: string[] = [];
  let machines = 0;
  const optOuts: Array<string | null> = [];
  const rests: string[] = [];
  const countsAs: CountsAs[] = [];
  let undisclosed = 0;
  let ended: string | null = null;
  let hungUp = false;
  const reply = (heard: string, signal: AbortSignal) => {
    heardByModel.push(heard);
    return begun(args.answer?.(heard, signal) ?? nothing());
  };
  let beginning: string | null = null;
  async function* begun(after: AsyncIterable<ConversationStep>): AsyncGenerator<ConversationStep> {
    if (beginning !== null) yield { kind: 'say', text: beginning };
    beginning = null;
    yield* after;
  }
  const conversation: Conversation = {
    greeting: () => Promise.resolve(args.greeting ?? null),
    reply,
    prepare: (heard) =>
      prepareReply({ reply: (signal) => reply(heard, signal), forget: () => discarded.push(heard) }),
    replyToEvent: reply,
    heard: (text) => void cuts.push(text),
    beginWith: (text) => void (beginning = text),
    replyToKeys(digits) {
      keysAnswered.push(digits);
      return nothing();
    },
    goesOn: (rest) => void rests.push(rest),
    idle: () => 'Are you still there?',
    voicemail: () => args.voicemail ?? null,
    left: () => undefined,
    wrapUp: () => Promise.resolve({ extract: null, summary: null }),
  };
  const call = runCall({
    leg: {
      send: (frame) => void sent.push(frame),
      flush: () => undefined,
      hangUp: () => void (hungUp = true),
    },
    conversation,
    settings,
    createActivity: () =>
      args.activity ?? { isVoice: (samples) => Math.abs(samples[0] ?? 0) > 1_000, isFar: () => false },
    transcribe(samples, _signal, late) {
      void args.lateWords?.then(late);
      utterances.push((samples.length / lineRate) * 1_000);
      const text = transcripts.shift() ?? '';
      return (args.heardAt ?? Promise.resolve()).then(() => text);
    },
    hear: (samples) => heardLive.push(samples.length / 8),
    speak(text) {
      spoken.push(text);
      return args.speak?.(text) ?? said();
    },
    phrases: {
      acknowledgement: 'One moment.',
      apology: 'I am sorry.',
      farewell: 'I must go.',
      optedOut: 'No more calls.',
      takesCall: 'Press one or say yes.',
    },
    nowMs: () => now,
    greets: args.greeting != null,
    line: {
      press: (digits) => Promise.resolve(args.canPress !== false && pressed.push(digits) > 0),
      transfer: (to, signal, brief) => args.transfer?.(to, signal, brief) ?? Promise.resolve('failed'),
    },
    mayBeMachine: true,
    onMachine: () => {
      machines += 1;
      return args.machineRecorded ?? Promise.resolve();
    },
    transferLine: {
      async reserve() {
        const refusal = (await args.refusal?.()) ?? null;
        if (refusal === null) secondLine.push('reserved');
        return refusal;
      },
      async release() {
        await args.release?.();
        secondLine.push('released');
      },
    },
    onTransfer: (_, { result }) => results.push(result),
    onTurn: (turn) => turns.push(turn),
    piecesOf: (text) => splitSentences(text, 'en'),
    disclosure: args.disclosure ?? null,
    onUndisclosed: () => void (undisclosed += 1),
    onCountsAs(found) {
      countsAs.push(found);
      return Promise.resolve();
    },
    optOutKey: args.optOutKey ?? null,
    onOptOut: (words) => void optOuts.push(words),
    onVoice: () => undefined,
    log: { warn: () => undefined },
  });
  void call.ended.then(({ reason }) => (ended = reason));

  const settled = async () => {
    for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
  };

  /** Advances the clock while the person makes this sound. */
  async function goOn(ms: number, sound: Uint8Array = silence): Promise<void> {
    for (const until = now + ms; now < until;) {
      now += 20;
      call.frame(sound);
      call.tick();
      await settled();
    }
  }

  /** Advances the clock. Only these frames arrive, each at its time from now. */
  async function receives(ms: number, frames: ReadonlyArray<{ afterMs: number; bytes: Uint8Array }>) {
    const coming = [...frames];
    for (const from = now; now < from + ms;) {
      const tickAt = now + 20;
      for (let next = coming[0]; next !== undefined && from + next.afterMs <= tickAt; next = coming[0]) {
        now = Math.max(now, from + next.afterMs);
        call.frame(next.bytes);
        coming.shift();
      }
      now = tickAt;
      call.tick();
      await settled();
    }
  }

  return {
    call,
    goOn,
    receives,
    /** Lengths of the utterances that were transcribed, in milliseconds. */
    utterances,
    /** Lengths of the sounds that a live recognizer heard, in milliseconds. */
    heardLive,
    discarded,
    speaks: (ms: number) => goOn(ms, voice),
    hears: (samples: Int16Array) => hearing(samples),
    dialogue: () => turns.map(({ role, text, interrupted }) => `${role}: ${text}${interrupted ? ' —' : ''}`),
    heardByModel,
    keysAnswered,
    pressed,
    /** All texts that were synthesized. */
    spoken,
    results,
    secondLine,
    machines: () => machines,
    optOuts: () => optOuts.length,
    /** What the person said when they asked for no more calls; null by the key. */
    optOutWords: () => optOuts,
    cuts: () => cuts,
    rests: () => rests,
    countsAs: () => countsAs,
    undisclosed: () => undisclosed,
    ended: () => ended,
    hungUp: () => hungUp,
    sentFrames: () => sent.length,
    sent: () => Int16Array.from(sent.flatMap((frame) => [...fromMuLaw(frame)])),
    nowMs: () => now,
  };

  async function hearing(samples: Int16Array): Promise<void> {
    for (let at = 0; at + 160 <= samples.length; at += 160) {
      await goOn(20, toMuLaw(samples.subarray(at, at + 160)));
    }
  }
}

async function* nothing(): AsyncGenerator<ConversationStep> {
  // The agent has nothing to say.
}

async function* said(): AsyncGenerator<Int16Array> {
  yield new Int16Array((speechMs / 1_000) * lineRate).fill(3_000);
}

export async function* steps(...all: readonly ConversationStep[]): AsyncGenerator<ConversationStep> {
  yield* all;
}
