import { createBeepEar } from './beep.ts';
import { createMachineWatch } from './machine-watch.ts';

/** Listens for mailboxes: whether one has answered, and then for its beep. */
export interface MachineEar {
  /** `machine` and `mailbox_beep` come once, the second where a mailbox already records; `beep` only after `machine`. */
  frame(at: number, voiced: boolean, samples: Int16Array): 'machine' | 'mailbox_beep' | 'beep' | null;
  said(turn: { text: string; startedAt: number; endedAt: number }): 'machine' | 'screening' | null;
  agentHeard(): void;
}

export function createMachineEar(answeredAt: number): MachineEar {
  const watch = createMachineWatch(answeredAt);
  const beeps = createBeepEar();
  let isMachine = false;
  return {
    frame(at, voiced, samples) {
      if (isMachine) return beeps.hear(samples) ? 'beep' : null;
      const heard = watch.frame(at, voiced, samples);
      if (heard === null) return null;
      isMachine = true;
      return heard === 'beep' ? 'mailbox_beep' : 'machine';
    },
    said(turn) {
      if (isMachine) return null;
      const heard = watch.said(turn);
      if (heard === 'machine') isMachine = true;
      return heard;
    },
    agentHeard: () => watch.agentHeard(),
  };
}
