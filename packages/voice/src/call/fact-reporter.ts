import type { CallFact } from '@outdial/core';
import type { CallReport } from '@outdial/engine';
import type { TurnRecord } from '../turn/turn-messages.ts';
import { saysDisclosure } from './disclosure.ts';

type FactKind = 'connected' | 'disclosed' | 'machine' | 'counts_as';

/** How a call counts that could not be held to its end. */
export interface CountsAs {
  outcome: 'failed' | 'invalid_number';
  reason: string;
}

export type FactReporter = ReturnType<typeof createFactReporter>;

/**
 * Reports facts about a running call to the engine, each once.
 * @param args `disclosure`: the text that the agent must say first, or null
 */
export function createFactReporter(args: {
  callId: string;
  disclosure: string | null;
  record: (report: CallReport) => Promise<void>;
  log: { warn(fields: object, message: string): void };
}) {
  const { callId, disclosure, record, log } = args;
  const reports = new Map<FactKind, Promise<void>>();

  function report(kind: Exclude<FactKind, 'counts_as'>): Promise<void>;
  function report(kind: 'counts_as', countsAs: CountsAs): Promise<void>;
  function report(kind: FactKind, countsAs?: CountsAs): Promise<void> {
    const earlier = reports.get(kind);
    if (earlier !== undefined) return earlier;
    const when = { eventId: `${callId}:${kind}`, at: new Date() };
    const fact = factOf(kind, when, countsAs);
    const recorded = record({ callId, withoutAcceptance: true, facts: [fact] }).catch((error: unknown) =>
      log.warn({ err: error, call_id: callId }, `the fact "${kind}" of a call could not be recorded`),
    );
    reports.set(kind, recorded);
    return recorded;
  }

  return {
    /** The person hears the agent, or the agent listens to a person who speaks first. */
    connected: () => void report('connected'),
    /** A mailbox has answered. Resolves once that is recorded, or the report has failed. */
    machine: () => report('machine'),
    /** The call cannot be held to its end. Resolves once that is recorded, or the report has failed. */
    countsAs: (found: CountsAs) => report('counts_as', found),
    /** Reports the disclosure once a turn of the agent contains all of it. */
    turn({ role, text }: TurnRecord) {
      if (role === 'agent' && saysDisclosure(text, disclosure)) void report('disclosed');
    },
    /** Resolves once all reports are recorded or have failed. */
    async recorded() {
      await Promise.all(reports.values());
    },
  };
}

function factOf(kind: FactKind, when: { eventId: string; at: Date }, countsAs?: CountsAs): CallFact {
  if (kind === 'machine') return { kind, ...when, answeredBy: 'machine' };
  if (kind !== 'counts_as') return { kind, ...when };
  return { kind, ...when, ...(countsAs ?? { outcome: 'failed', reason: 'unknown' }) };
}
