import { frameMs } from '../turn/turn-settings.ts';
import { createBeepEar } from './beep.ts';
import { isMailboxText, isScreeningText } from './machine-words.ts';

/**
 * Who has answered, found out while the agent already talks: the conversation does not wait for it. It is called with every frame and every turn of the
 * person until it is sure.
 */
export interface MachineWatch {
  /** `beep`: a mailbox, and it records from now on. `machine`: a mailbox that still talks. */
  frame(at: number, voiced: boolean, samples: Int16Array): 'beep' | 'machine' | null;
  /** `screening`: an assistant that wants to know who calls, and may put the person through. */
  said(turn: { text: string; startedAt: number; endedAt: number }): 'machine' | 'screening' | null;
  /** From now on a long turn may be an answer to the agent. */
  agentHeard(): void;
}

/** By then a mailbox has said that it is one. */
const openForMs = 60_000;
/** After this many plausible turns of a person, it is a person. */
const personTurns = 3;
/** Those who pick up say something short, and wait: speech without a break before the agent has said anything. */
const longHelloMs = 7_000;
/** The same, whether or not the agent was heard: mailboxes do not stop for its greeting. */
const longestRunMs = 12_000;
/** A breath does not end an announcement. */
const breathMs = 700;
/** A beep after a word or two may come from the kitchen; mailboxes say more before it, or nothing at all. */
const leastAnnouncedMs = 1_500;

/** @param answeredAt on the clock of the frames */
export function createMachineWatch(answeredAt: number): MachineWatch {
  const ear = createBeepEar();
  let turns = 0;
  let voicedMs = 0;
  let run: { from: number; until: number } | null = null;
  /** The last instant of speech that went on for too long to be a hello. */
  let longUntil: number | null = null;
  let isAgentHeard = false;
  const isOpen = (at: number) => turns < personTurns && at - answeredAt < openForMs;

  return {
    frame(at, voiced, samples) {
      if (!isOpen(at)) return null;
      if (ear.hear(samples)) {
        return voicedMs === 0 || voicedMs >= leastAnnouncedMs ? 'beep' : null;
      }
      if (!voiced) return null;
      voicedMs += frameMs;
      run = run !== null && at - run.until <= breathMs ? { ...run, until: at } : { from: at, until: at };
      if (at - run.from >= longHelloMs) longUntil = at;
      return turns === 0 && at - run.from >= longestRunMs ? 'machine' : null;
    },
    said({ text, startedAt, endedAt }) {
      if (!isOpen(endedAt)) return null;
      if (isScreeningText(text)) return 'screening';
      const isLong = longUntil !== null && longUntil >= startedAt;
      const isAnnouncement = isLong && turns === 0 && !isAgentHeard;
      if (isMailboxText(text) || isAnnouncement) return 'machine';
      turns += 1;
      return null;
    },
    agentHeard() {
      isAgentHeard = true;
    },
  };
}
