import { agentVoice } from '@outdial/contracts';
import { expect, test } from 'vitest';
import { detectsMachine } from './machine-detector.ts';

test('only dialed calls can reach machines, and agents can turn the detection off', () => {
  const byDefault = agentVoice.parse({ mode: 'cascade' });
  const off = agentVoice.parse({ mode: 'cascade', machine_detection: false });
  const kinds = ['phone_outbound', 'phone_inbound', 'web'] as const;
  expect(kinds.map((kind) => detectsMachine(kind, byDefault))).toEqual([true, false, false]);
  expect(kinds.map((kind) => detectsMachine(kind, off))).toEqual([false, false, false]);
});

test('an agent without machine detection leaves no message', () => {
  const voicemail = { action: 'leave_message', message: 'Call us.' };
  const read = agentVoice.safeParse({ mode: 'cascade', machine_detection: false, voicemail });
  expect(read.error?.issues.map(({ path }) => path.join('.'))).toEqual(['voicemail.action']);
  expect(agentVoice.safeParse({ mode: 'cascade', voicemail }).success).toBe(true);
});
