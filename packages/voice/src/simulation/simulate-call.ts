import type { AgentVoice } from '@outdial/contracts';
import { frameMs } from '../audio/mu-law.ts';
import type { Conversation, ConversationStep, WrapUp } from '../conversation/conversation.ts';
import type { TurnAction, TurnInput, TurnRecord } from '../turn/turn-messages.ts';
import { turnSettingsOf } from '../turn/turn-settings.ts';
import { createTurns } from '../turn/turns.ts';
import type { Caller } from './caller.ts';
import { createSimulatedVoice, durationOf, type SimulatedVoice } from './simulated-voice.ts';
import type { CallerLine } from './scenario.ts';

export interface SimulatedCall {
  turns: TurnRecord[];
  /** The tools that were called, in order. */
  tools: string[];
  endedBy: 'agent' | 'person' | 'transfer';
  reason: string;
  seconds: number;
  wrapUp: WrapUp;
}

const longestCallSeconds = 1_800;
/** How long the person waits, beyond the longest silence within a sentence, before they speak. */
const pauseMs = 500;
const wrapUpMs = 60_000;

/**
 * Runs a call without audio: the conversation and the turns of a real call, on a simulated clock. The clock stops while a model writes, so the result
 * does not depend on the model's speed.
 */
export async function simulateCall(args: {
  conversation: Conversation;
  voice: AgentVoice;
  /** The agent speaks first. */
  greets: boolean;
  caller: Caller;
}): Promise<SimulatedCall> {
  const { conversation } = args;
  const settings = turnSettingsOf(args.voice, { longestCallSeconds });
  const turns = createTurns(settings);
  const voice = createSimulatedVoice();
  const longestSilenceMs = Math.max(settings.silenceMs, settings.unfinishedSilenceMs);
  const person = createSimulatedPerson(args.caller, longestSilenceMs + pauseMs);
  const records: TurnRecord[] = [];
  const tools: string[] = [];
  /** Answers that the models have yet to write. */
  const work: Array<() => Promise<void>> = [];
  let reply = new AbortController();
  let ended: { by: SimulatedCall['endedBy']; reason: string } | null = null;
  let transferred = false;
  let at = 0;

  function dispatch(input: TurnInput): void {
    for (const action of turns.take(input)) perform(action);
  }

  function say(answer: number, text: string | null): void {
    if (text === null) return;
    const index = voice.add(answer, text);
    dispatch({ at, kind: 'piece', answer, text });
    dispatch({ at, kind: 'audio', answer, index, ms: durationOf(text), done: true });
  }

  function converse(answer: number, steps: (signal: AbortSignal) => AsyncIterable<ConversationStep>): void {
    reply = new AbortController();
    const { signal } = reply;
    work.push(async () => {
      let end: string | null = null;
      for await (const step of steps(signal)) {
        if (step.kind === 'say') say(answer, step.text);
        if (step.kind === 'working') tools.push(step.tool);
        if (step.kind === 'end_call') end = step.reason;
        if (step.kind === 'transfer') transferred = true;
      }
      dispatch({ at, kind: 'replied', answer, end: transferred ? 'transfer' : end });
    });
  }

  function perform(action: TurnAction): void {
    switch (action.kind) {
      case 'greet':
        work.push(async () => {
          say(action.answer, await conversation.greeting());
          dispatch({ at, kind: 'replied', answer: action.answer, end: null });
        });
        return;
      case 'respond':
        return converse(action.answer, (signal) => conversation.reply(action.text, signal));
      case 'go_on':
        conversation.goesOn(action.rest);
        say(action.answer, action.rest);
        return dispatch({ at, kind: 'replied', answer: action.answer, end: null });
      case 'prompt_idle':
        say(action.answer, conversation.idle(action.nth));
        return dispatch({ at, kind: 'replied', answer: action.answer, end: null });
      case 'transcribe': {
        const text = person.wordsBetween(action.from, action.to);
        return dispatch({ at, kind: 'transcript', utterance: action.utterance, text });
      }
      case 'pause_playback':
      case 'resume_playback':
        return voice.setPaused(action.kind === 'pause_playback');
      case 'drop_playback':
        voice.drop();
        return reply.abort();
      case 'heard':
        return conversation.heard(action.text);
      case 'record':
        records.push(action.turn);
        if (action.turn.role === 'agent') person.hear(action.turn.text);
        return;
      case 'hang_up':
        ended = { by: transferred ? 'transfer' : 'agent', reason: action.reason };
        return;
      default:
    }
  }

  async function hangUpOrSpeak(): Promise<void> {
    if (!(await person.act(at, voice))) return;
    dispatch({ at, kind: 'left' });
    ended ??= { by: 'person', reason: 'left' };
  }

  dispatch({ at, kind: 'answered', greets: args.greets });
  while (ended === null && at < longestCallSeconds * 1_000) {
    for (let job = work.shift(); job !== undefined; job = work.shift()) await job();
    at += frameMs;
    const played = voice.playFrame();
    if (played !== null) {
      if (played.isLast) person.agentFinished(at);
      dispatch({ at, kind: 'played', answer: played.answer, ms: played.ms });
    }
    dispatch({ at, kind: 'frame', voiced: person.isSpeaking(at) });
    dispatch({ at, kind: 'tick' });
    if (ended === null && work.length === 0) await hangUpOrSpeak();
  }
  const { by, reason } = ended ?? { by: 'person' as const, reason: 'too_long' };
  const wrapUp = await conversation.wrapUp(AbortSignal.timeout(wrapUpMs));
  return { turns: records, tools, endedBy: by, reason, seconds: at / 1_000, wrapUp };
}

/** A shorter interruption would not make the agent give way. */
const leastSpeechMs = 400;

/**
 * Lets a caller speak on the simulated clock.
 * @param floorIsFreeMs after this much silence, the person may speak
 */
function createSimulatedPerson(caller: Caller, floorIsFreeMs: number) {
  const spoken: Array<{ from: number; to: number; text: string }> = [];
  let agentSaid = '';
  /** The next line. Undefined until the caller is asked; null: the person hangs up. */
  let next: CallerLine | null | undefined;
  let busyUntil = 0;

  function speak(at: number, text: string): void {
    busyUntil = at + Math.max(durationOf(text), leastSpeechMs);
    spoken.push({ from: at, to: busyUntil, text });
  }

  return {
    /** The agent said this. */
    hear(text: string) {
      agentSaid = `${agentSaid} ${text}`.trim();
    },
    /** The agent has finished an answer. */
    agentFinished(at: number) {
      busyUntil = Math.max(busyUntil, at);
    },
    isSpeaking: (at: number) => spoken.some(({ from, to }) => at > from && at <= to),
    wordsBetween: (from: number, to: number) =>
      spoken
        .filter((one) => one.from < to && one.to > from)
        .map(({ text }) => text)
        .join(' '),
    /** Begins the next line when it is due. Returns true if the person hangs up instead. */
    async act(at: number, agent: SimulatedVoice): Promise<boolean> {
      if (at < busyUntil) return false;
      const isTalking = agent.isTalking();
      const isFree = !isTalking && at - busyUntil >= floorIsFreeMs;
      if (next === undefined) {
        if (!isFree && !caller.isScripted) return false;
        next = await caller.next(agentSaid);
        agentSaid = '';
      }
      if (next === null) return isFree;
      const interrupts = 'interrupts' in next && isTalking && agent.heardWords() >= next.after_words;
      if (!isFree && !interrupts) return false;
      if ('interrupts' in next) speak(at, next.interrupts);
      else if ('says' in next) speak(at, next.says);
      else busyUntil = at + next.is_silent_seconds * 1_000;
      next = undefined;
      return false;
    },
  };
}
