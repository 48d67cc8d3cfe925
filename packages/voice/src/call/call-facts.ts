import type { CallReport } from '@outdial/engine';
import type { TurnRecord } from '../turn/turn-messages.ts';

/** Tells the engine what happens on a call while it goes on, each fact once. */
export interface CallFacts {
  /** The agent can be heard, or listens where the person speaks first. */
  connected(): void;
  /** A mailbox has answered. Resolves when it is recorded, or could not be. */
  machine(): Promise<void>;
  /** A turn was spoken; the disclosure counts as said when all of it was heard. */
  turn(turn: TurnRecord): void;
  /** Resolves when everything that was told is recorded, or could not be. */
  recorded(): Promise<void>;
}

export function tellFacts(args: {
  callId: string;
  /** What the agent must say first; null: nothing. */
  disclosure: string | null;
  record: (report: CallReport) => Promise<void>;
  log: { warn(fields: object, message: string): void };
}): CallFacts {
  const { callId, disclosure, record, log } = args;
  const told = new Map<'connected' | 'disclosed' | 'machine', Promise<void>>();

  function tell(kind: 'connected' | 'disclosed' | 'machine'): Promise<void> {
    const before = told.get(kind);
    if (before !== undefined) return before;
    const when = { eventId: `${callId}:${kind}`, at: new Date() };
    const fact = kind === 'machine' ? { kind, ...when, answeredBy: 'machine' } : { kind, ...when };
    const recorded = record({ callId, withoutAcceptance: true, facts: [fact] }).catch((error: unknown) =>
      log.warn({ err: error, call_id: callId }, `that a call is ${kind} could not be recorded`),
    );
    told.set(kind, recorded);
    return recorded;
  }

  return {
    connected: () => void tell('connected'),
    machine: () => tell('machine'),
    turn({ role, text }) {
      if (disclosure !== null && role === 'agent' && wordsOf(text).startsWith(wordsOf(disclosure))) {
        void tell('disclosed');
      }
    },
    async recorded() {
      await Promise.all(told.values());
    },
  };
}

const wordsOf = (text: string): string => text.trim().split(/\s+/).join(' ');
