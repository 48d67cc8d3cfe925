import type { AgentVoice } from '@outdial/contracts';
import type { Conversation, ConversationStep, WrapUp } from '../conversation/conversation.ts';

import type { TurnAction, TurnInput, TurnRecord } from '../turn/turn-messages.ts';
import { frameMs } from '../audio/mu-law.ts';
import { turnSettingsOf } from '../turn/turn-settings.ts';
import { createTurns } from '../turn/turns.ts';
import type { Caller } from './caller.ts';
import type { CallerLine } from './scenario.ts';

export interface SimulatedCall {
  turns: TurnRecord[];
  /** In the order in which they were used. */
  tools: string[];
  endedBy: 'agent' | 'person' | 'transfer';
  reason: string;
  seconds: number;
  wrapUp: WrapUp;
}

interface PlayedVoice {
  answer: number;
  totalMs: number;
  playedMs: number;
  paused: boolean;
}

/** How long people and voices take for a word. */
const wordMs = 350;
const longestCallSeconds = 1_800;
/** Beyond the longest silence within a sentence: then the floor is the other's. */
const pauseMs = 500;

const msOf = (text: string) => Math.max(1, text.split(/\s+/).filter((word) => word !== '').length) * wordMs;

/**
 * A call without sound: the same conversation and the same turns as on the telephone, with a planted clock on which every word takes its
 * time. The clock stands while a model writes, so what happens does not depend on how fast it is.
 */
export async function simulateCall(args: {
  conversation: Conversation;
  voice: AgentVoice;
  /** The agent speaks first. */
  greets: boolean;
  caller: Caller;
}): Promise<SimulatedCall> {
  const { conversation, voice, caller, greets } = args;
  const settings = turnSettingsOf(voice, { longestCallSeconds });
  const turns = createTurns(settings);
  const floorIsFreeMs = Math.max(settings.silenceMs, settings.unfinishedSilenceMs) + pauseMs;
  const records: TurnRecord[] = [];
  const tools: string[] = [];
  const work: Array<() => Promise<void>> = [];
  const person: Array<{ from: number; to: number; text: string }> = [];
  const player: { voice: PlayedVoice | null } = { voice: null };
  let pieces = 0;
  let reply = new AbortController();
  let ended: { by: SimulatedCall['endedBy']; reason: string } | null = null;
  let transferred = false;
  let agentSaid = '';
  let next: CallerLine | null | undefined;
  let busyUntil = 0;
  let at = 0;

  const give = (input: TurnInput) => {
    for (const action of turns.take(input)) follow(action);
  };
  const say = (answer: number, text: string) => {
    if (player.voice?.answer !== answer) {
      player.voice = { answer, totalMs: 0, playedMs: 0, paused: false };
      pieces = 0;
    }
    player.voice.totalMs += msOf(text);
    give({ at, kind: 'piece', answer, text });
    give({ at, kind: 'audio', answer, index: pieces, ms: msOf(text), done: true });
    pieces += 1;
  };
  const answerWith = (answer: number, steps: (signal: AbortSignal) => AsyncIterable<ConversationStep>) => {
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
      give({ at, kind: 'replied', answer, end: transferred ? 'transfer' : end });
    });
  };

  function follow(action: TurnAction): void {
    switch (action.kind) {
      case 'greet':
        work.push(async () => {
          const text = await conversation.greeting();
          if (text !== null) say(action.answer, text);
          give({ at, kind: 'replied', answer: action.answer, end: null });
        });
        return;
      case 'respond':
        return answerWith(action.answer, (signal) => conversation.reply(action.text, signal));
      case 'prompt_idle': {
        const text = conversation.idle(action.nth);
        if (text !== null) say(action.answer, text);
        return give({ at, kind: 'replied', answer: action.answer, end: null });
      }
      case 'transcribe': {
        const text = person
          .filter((one) => one.from < action.to && one.to > action.from)
          .map((one) => one.text)
          .join(' ');
        return give({ at, kind: 'transcript', utterance: action.utterance, text });
      }
      case 'pause_playback':
      case 'resume_playback':
        if (player.voice !== null) player.voice.paused = action.kind === 'pause_playback';
        return;
      case 'drop_playback':
        player.voice = null;
        return reply.abort();
      case 'heard':
        return conversation.heard(action.text);
      case 'record':
        records.push(action.turn);
        if (action.turn.role === 'agent') agentSaid = `${agentSaid} ${action.turn.text}`.trim();
        return;
      case 'hang_up':
        ended = { by: transferred ? 'transfer' : 'agent', reason: action.reason };
        return;
      default:
    }
  }

  const speaks = (text: string) => {
    // The voice of a person who cuts in goes on until the agent gives way.
    const forMs = Math.max(msOf(text), 400);
    person.push({ from: at, to: at + forMs, text });
    busyUntil = at + forMs;
  };

  /** The person does what is next, once it is time for it. */
  async function personActs(): Promise<void> {
    const { voice: playing } = player;
    const isTalking = playing !== null && playing.playedMs < playing.totalMs;
    if (at < busyUntil) return;
    const isFree = !isTalking && at - busyUntil >= floorIsFreeMs;
    if (next === undefined) {
      if (!isFree && !caller.isScripted) return;
      next = await caller.next(agentSaid);
      agentSaid = '';
    }
    if (next === null) {
      if (!isFree) return;
      give({ at, kind: 'left' });
      ended ??= { by: 'person', reason: 'left' };
      return;
    }
    if ('interrupts' in next) {
      const heardWords = playing === null ? 0 : playing.playedMs / wordMs;
      if (!(isTalking && heardWords >= next.after_words) && !isFree) return;
      speaks(next.interrupts);
    } else if (!isFree) {
      return;
    } else if ('says' in next) {
      speaks(next.says);
    } else {
      busyUntil = at + next.is_silent_seconds * 1_000;
    }
    next = undefined;
  }

  give({ at, kind: 'answered', greets });
  while (ended === null && at < longestCallSeconds * 1_000) {
    for (let job = work.shift(); job !== undefined; job = work.shift()) await job();
    at += frameMs;
    const { voice: playing } = player;
    if (playing !== null && !playing.paused && playing.playedMs < playing.totalMs) {
      playing.playedMs += frameMs;
      if (playing.playedMs >= playing.totalMs) busyUntil = Math.max(busyUntil, at);
      give({ at, kind: 'played', answer: playing.answer, ms: playing.playedMs });
    }
    give({ at, kind: 'frame', voiced: person.some((one) => at > one.from && at <= one.to) });
    give({ at, kind: 'tick' });
    if (ended === null && work.length === 0) await personActs();
  }
  const { by, reason } = ended ?? { by: 'person' as const, reason: 'too_long' };
  const wrapUp = await conversation.wrapUp(AbortSignal.timeout(60_000));
  return { turns: records, tools, endedBy: by, reason, seconds: at / 1_000, wrapUp };
}
