import type { Outcome } from '@outdial/core';
import { describe, expect, test } from 'vitest';
import { callReference } from '../call.fixture.ts';
import { createSimulator } from './simulator.ts';

const gatedAt = new Date('2026-03-02T10:00:00Z');
const times = { ringMs: 2_000, talkMs: 5_000 };
const simulator = createSimulator({ name: 'simulator', times });

const reference = (args: { last: string; attempt?: number; afterMs: number }) =>
  callReference({
    toPhone: `+155512300${args.last}`,
    attempt: args.attempt ?? 1,
    systemPrompt: 'Hello Ada',
    gatedAt,
    now: new Date(gatedAt.getTime() + args.afterMs),
  });

async function lookUp(args: { last: string; attempt?: number; afterMs: number }) {
  const found = await simulator.lookUp(reference(args), new AbortController().signal);
  if (found.kind !== 'found') throw new Error('the simulator knows every call');
  return found;
}

describe('the simulated carrier', () => {
  test.each<[string, number, Outcome]>([
    ['91', 1, 'busy'],
    ['92', 1, 'no_answer'],
    ['93', 1, 'rejected'],
    ['94', 1, 'voicemail'],
    ['95', 1, 'failed'],
    ['96', 1, 'invalid_number'],
    ['97', 1, 'busy'],
    ['97', 2, 'completed'],
    ['98', 1, 'no_answer'],
    ['98', 2, 'no_answer'],
    ['98', 3, 'completed'],
    ['00', 1, 'completed'],
    ['42', 7, 'completed'],
  ])('a number that ends in %s, attempt %i: %s', async (last, attempt, outcome) => {
    const found = await lookUp({ last, attempt, afterMs: 60_000 });
    const end = found.progress.at(-1);
    expect(end).toMatchObject({ kind: 'ended', outcome });
    expect(found.nextChangeAt).toBeNull();
  });

  test('a number that ends in 99 is answered and never reports its end', async () => {
    const found = await lookUp({ last: '99', afterMs: 86_400_000 });
    expect(found.progress.map((fact) => fact.kind)).toEqual(['ringing', 'answered']);
    expect(found.nextChangeAt).toBeNull();
  });

  test('a call follows its timeline by the clock, and reports when it changes next', async () => {
    const ringing = await lookUp({ last: '00', afterMs: 1_999 });
    expect(ringing.progress.map((fact) => fact.kind)).toEqual(['ringing']);
    expect(ringing.nextChangeAt).toEqual(new Date(gatedAt.getTime() + 2_000));
    const answered = await lookUp({ last: '00', afterMs: 2_000 });
    expect(answered.progress.map((fact) => fact.kind)).toEqual(['ringing', 'answered']);
    const ended = await lookUp({ last: '00', afterMs: 7_000 });
    const end = ended.progress.at(-1);
    if (end?.kind !== 'ended') throw new Error('the call has ended');
    expect(end.details.durationSeconds).toBe(5);
    expect(end.details.transcript).toContain('Hello Ada');
  });

  test('without ring and talk time, a call is over as soon as it is placed', async () => {
    const instant = createSimulator({ name: 'simulator', times: { ringMs: 0, talkMs: 0 } });
    const found = await instant.lookUp(reference({ last: '00', afterMs: 0 }), new AbortController().signal);
    expect(found).toMatchObject({ kind: 'found', nextChangeAt: null });
    expect(found.kind === 'found' && found.progress.at(-1)).toMatchObject({ outcome: 'completed' });
  });

  test('only an answered call has a recording: a WAV file with audio, readable whole or in part', async () => {
    const { signal } = new AbortController();
    expect(await simulator.openRecording(reference({ last: '91', afterMs: 60_000 }), signal)).toBeNull();
    const recording = await simulator.openRecording(reference({ last: '00', afterMs: 60_000 }), signal);
    if (!recording) throw new Error('an answered call has a recording');
    const whole = Buffer.concat(await Array.fromAsync(recording.read()));
    expect(whole.length).toBe(recording.size);
    expect(whole.subarray(0, 4).toString('latin1')).toBe('RIFF');
    expect(whole.subarray(44).some((byte) => byte !== 0)).toBe(true);
    const part = Buffer.concat(await Array.fromAsync(recording.read({ start: 8, end: 11 })));
    expect(part.toString('latin1')).toBe('WAVE');
  });
});
