import type { CallReport } from '@outdial/engine';
import { expect, test } from 'vitest';
import type { TurnRecord } from '../turn/turn-messages.ts';
import { createFactReporter } from './fact-reporter.ts';

const disclosure = 'I am an artificial voice. Say stop at any time.';

function onACall(of: { disclosure: string | null }) {
  const reports: CallReport[] = [];
  const facts = createFactReporter({
    callId: 'a',
    ...of,
    record: async (report) => void reports.push(report),
    log: { warn: () => undefined },
  });
  return { facts, told: () => reports.flatMap((report) => report.facts.map(({ kind }) => kind)) };
}

const spoken = (text: string, role: TurnRecord['role'] = 'agent'): TurnRecord => ({
  role,
  text,
  startedAt: 0,
  endedAt: 1_000,
  interrupted: false,
});

test('reports once that a call is connected', async () => {
  const { facts, told } = onACall({ disclosure: null });
  facts.connected();
  facts.connected();
  facts.turn(spoken('Hello.'));
  await facts.recorded();
  expect(told()).toEqual(['connected']);
});

test('reports the disclosure once all of it was heard', () => {
  const { facts, told } = onACall({ disclosure });
  facts.turn(spoken('I am an artificial voice. Say'));
  facts.turn(spoken(`${disclosure} Hello.`, 'person'));
  expect(told()).toEqual([]);
  facts.turn(spoken(`I am an artificial voice.  Say stop at any time. Hello, this is Ada.`));
  facts.turn(spoken(disclosure));
  expect(told()).toEqual(['disclosed']);
});
