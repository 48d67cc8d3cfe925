import { expect, test } from 'vitest';
import { transcriptLine } from './transcript-writer.ts';

const turn = { role: 'agent', startedAt: 61_400, endedAt: 63_000, interrupted: false } as const;

test('writes a line with the time since the answer', () => {
  expect(transcriptLine({ ...turn, text: ' Hello,\n Ada. ' }, 0)).toBe('[1:01] Agent: Hello, Ada.');
  expect(transcriptLine({ ...turn, text: 'Hello', interrupted: true }, 61_400)).toBe(
    '[0:00] Agent: Hello — (interrupted)',
  );
});

test('writes no character that Postgres refuses', () => {
  expect(transcriptLine({ ...turn, text: 'a\u0000b\ud800' }, 0)).toBe('[1:01] Agent: ab\ufffd');
});
