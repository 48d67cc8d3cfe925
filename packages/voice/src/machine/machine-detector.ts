import type { AgentVoice } from '@outdial/contracts';
import type { CallKind } from '@outdial/core';
import { frameMs } from '../audio/mu-law.ts';
import type { TurnRecord } from '../turn/turn-messages.ts';
import { createBeepDetector } from './beep-detector.ts';
import { createInformationTones } from './information-tones.ts';
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
