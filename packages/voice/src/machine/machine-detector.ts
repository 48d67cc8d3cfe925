import type { AgentVoice } from '@outdial/contracts';
import type { CallKind } from '@outdial/core';
import { frameMs } from '../audio/mu-law.ts';
import type { TurnRecord } from '../turn/turn-messages.ts';
import { createBeepDetector, type Beep } from './beep-detector.ts';
import { isMailboxText, isScreeningText, isUnusedNumberText } from './machine-words.ts';

/** By then, a mailbox has been recognized. */
const openForMs = 60_000;
const personTurns = 3;
/** Speech without a break before the agent was heard. A person who picks up says something short and waits. */
const longHelloMs = 7_000;
/** The same, even before it is transcribed. Once the agent was heard, a long turn may be a person's answer. */
const longestRunMs = 12_000;
/** A breath does not end an announcement. */
const breathMs = 700;
/** A beep after a word or two may come from a kitchen appliance. A mailbox says more before its beep, or nothing. */
const leastAnnouncedMs = 1_500;

/** Only a call that was dialed can reach a mailbox. */
export const detectsMachine = (kind: CallKind, voice: Pick<AgentVoice, 'machine_detection'>): boolean =>
  kind === 'phone_outbound' && voice.machine_detection;

type FrameVerdict = 'machine' | 'mailbox_beep' | 'beep' | 'unused_number' | 'overloaded';

export type MachineDetector = ReturnType<typeof createMachineDetector>;

/**
 * Detects mailboxes while the agent already talks, so that the conversation does not wait. It stops after a minute, or after three turns that a
 * person may have said. Once it has found a mailbox, it only reports beeps.
 * @param answeredAt on the clock of the frames
 */
export function createMachineDetector(answeredAt: number) {
  let beeps = createBeepDetector();
  const tones = createInformationTones();
  let isMachine = false;
  let turns = 0;
  let voicedMs = 0;
  let run: { from: number; until: number } | null = null;
  /** The last instant of speech that was too long for a hello. */
  let longUntil: number | null = null;
  let isAgentHeard = false;
  const isOpen = (at: number) => turns < personTurns && at - answeredAt < openForMs;

  /** Restarts the beep detector, because earlier audio belongs to the announcement. */
  function found<Verdict>(verdict: Verdict): Verdict {
    isMachine = true;
    beeps = createBeepDetector();
    return verdict;
  }

  return {
    /**
     * `machine`: a mailbox that still talks. `mailbox_beep`: a mailbox that records from now on. `beep`: a beep of a mailbox that was already found.
     * `unused_number`, `overloaded`: an announcement of the network follows.
     */
    frame(at: number, voiced: boolean, samples: Int16Array): FrameVerdict | null {
      if (isMachine) return beeps.take(samples) === null ? null : 'beep';
      if (!isOpen(at)) return null;
      const heard = tones.take(at, beeps.take(samples), beeps.isInTone());
      if (heard === 'unused_number' || heard === 'overloaded') return found(heard);
      if (heard === 'beep') {
        return voicedMs === 0 || voicedMs >= leastAnnouncedMs ? found('mailbox_beep') : null;
      }
      if (!voiced) return null;
      voicedMs += frameMs;
      run = run !== null && at - run.until <= breathMs ? { ...run, until: at } : { from: at, until: at };
      if (at - run.from >= longHelloMs) longUntil = at;
      const isTooLong = !isAgentHeard && turns === 0 && at - run.from >= longestRunMs;
      return isTooLong ? found('machine') : null;
    },
    /** `screening`: an assistant that asks for the caller's name, and may put the person through. `unused_number`: an announcement of the network. */
    said({
      text,
      startedAt,
      endedAt,
    }: Pick<TurnRecord, 'text' | 'startedAt' | 'endedAt'>): 'machine' | 'screening' | 'unused_number' | null {
      if (isMachine || !isOpen(endedAt)) return null;
      if (isUnusedNumberText(text) && turns === 0) return found('unused_number');
      if (isScreeningText(text)) return 'screening';
      const isLong = longUntil !== null && longUntil >= startedAt;
      const isAnnouncement = isLong && turns === 0 && !isAgentHeard;
      if (isMailboxText(text) || isAnnouncement) return found('machine');
      turns += 1;
      return null;
    },
    /** From now on, a long turn may be a reply to the agent. */
    agentHeard() {
      isAgentHeard = true;
    },
  };
}

/** The three tones, and how far each may be from its frequency (ITU-T E.180; Telcordia GR-674 has two frequencies for the first two). */
const tones = [
  { from: 895, to: 995 },
  { from: 1_350, to: 1_450 },
  { from: 1_745, to: 1_850 },
] as const;
/** Between two tones. */
const longestGapMs = 150;
/** A higher second tone tells that the network is overloaded, and not that the number is unused. */
const overloadedFromHz = 1_415;

/**
 * Detects the special information tones: three rising tones before an announcement of the network, such as that a number is not in service. A mailbox may
 * beep with the first of them, so a beep is held back until it is clear that no second tone follows.
 */
function createInformationTones() {
  let heard: Beep[] = [];
  let since = 0;
  return {
    /**
     * @param beep a beep that has just ended, or null
     * @returns `beep`: a beep has ended that is not part of the tones
     */
    take(at: number, beep: Beep | null, isInTone: boolean): 'unused_number' | 'overloaded' | 'beep' | null {
      if (beep !== null) {
        const next = tones[heard.length];
        if (next === undefined || beep.hz < next.from || beep.hz > next.to) {
          heard = [];
          return 'beep';
        }
        heard.push(beep);
        since = at;
        if (heard.length < tones.length) return null;
        const isOverloaded = (heard[1]?.hz ?? 0) >= overloadedFromHz;
        heard = [];
        return isOverloaded ? 'overloaded' : 'unused_number';
      }
      if (heard.length === 0 || isInTone || at - since < longestGapMs) return null;
      const wasOne = heard.length === 1;
      heard = [];
      return wasOne ? 'beep' : null;
    },
  };
}
