import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  callMoves,
  callPhases,
  type CallProgress,
  type CallState,
  decideCallMove,
  publicCallStatus,
} from './call-state.ts';
import { outcomes } from './outcome.ts';

const call = (
  phase: CallState['phase'],
  outcome: CallState['outcome'] = null,
  corrected = false,
): CallState => ({
  phase,
  outcome,
  corrected,
});

function follow(state: CallState, event: CallProgress): CallState {
  const move = decideCallMove(state, event);
  switch (move.kind) {
    case 'apply':
      return { ...state, phase: move.phase, outcome: move.outcome ?? state.outcome };
    case 'correct':
      return { ...state, outcome: move.outcome, corrected: true };
    default:
      return state;
  }
}

const anyEvent: fc.Arbitrary<CallProgress> = fc.oneof(
  fc.constantFrom<CallProgress>({ kind: 'ringing' }, { kind: 'answered' }, { kind: 'ended' }),
  fc.constantFrom(...outcomes).map((outcome): CallProgress => ({ kind: 'ended', outcome })),
);

describe('decideCallMove', () => {
  test('follows a call from ringing to its end', () => {
    expect(decideCallMove(call('placing'), { kind: 'ringing' })).toEqual({ kind: 'apply', phase: 'ringing' });
    expect(decideCallMove(call('ringing'), { kind: 'answered' })).toEqual({
      kind: 'apply',
      phase: 'answered',
    });
    expect(decideCallMove(call('answered'), { kind: 'ended', outcome: 'completed' })).toEqual({
      kind: 'apply',
      phase: 'ended',
      outcome: 'completed',
    });
  });

  test('ends a call without a reported outcome as unknown', () => {
    expect(decideCallMove(call('ringing'), { kind: 'ended' })).toEqual({
      kind: 'apply',
      phase: 'ended',
      outcome: 'unknown',
    });
  });

  test.each([
    ['placing', 'answered'],
    ['placing', 'ended'],
    ['ringing', 'ended'],
    ['queued', 'ended'],
  ] as const)('moves a %s call straight to %s', (phase, kind) => {
    expect(decideCallMove(call(phase), { kind, outcome: 'busy' })).toMatchObject({
      kind: 'apply',
      phase: kind,
    });
  });

  test.each([
    [call('queued'), { kind: 'ringing' }, 'not_placed'],
    [call('queued'), { kind: 'answered' }, 'not_placed'],
    [call('ringing'), { kind: 'ringing' }, 'repeated'],
    [call('answered'), { kind: 'ringing' }, 'out_of_order'],
    [call('ended', 'unknown'), { kind: 'answered' }, 'out_of_order'],
    [call('ended', 'busy'), { kind: 'ended', outcome: 'completed' }, 'already_ended'],
    [call('ended', 'unknown'), { kind: 'ended' }, 'repeated'],
    [call('ended', 'unknown'), { kind: 'ended', outcome: 'unknown' }, 'repeated'],
    [call('ended', 'completed', true), { kind: 'ended', outcome: 'busy' }, 'already_corrected'],
  ] as const)('of %o ignores %o as %s', (state, event, reason) => {
    expect(decideCallMove(state, event)).toEqual({ kind: 'ignore', reason });
  });

  test('corrects an unknown end once', () => {
    const first = { kind: 'ended', outcome: 'completed' } as const;
    expect(decideCallMove(call('ended', 'unknown'), first)).toEqual({
      kind: 'correct',
      outcome: 'completed',
    });
    const corrected = follow(call('ended', 'unknown'), first);
    expect(follow(corrected, { kind: 'ended', outcome: 'busy' })).toEqual(corrected);
  });

  test('never moves backwards, and keeps one outcome, for any events in any order', () => {
    fc.assert(
      fc.property(fc.constantFrom(...callPhases), fc.array(anyEvent, { maxLength: 12 }), (phase, events) => {
        let state = call(phase, phase === 'ended' ? 'unknown' : null);
        const known = new Set<string>();
        for (const event of events) {
          const next = follow(state, event);
          expect(callPhases.indexOf(next.phase)).toBeGreaterThanOrEqual(callPhases.indexOf(state.phase));
          expect(next.outcome !== null).toBe(next.phase === 'ended');
          if (next.outcome !== null && next.outcome !== 'unknown') known.add(next.outcome);
          state = next;
        }
        expect(known.size).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('has a table that only goes forward', () => {
    for (const from of callPhases) {
      for (const to of callMoves[from]) {
        expect(callPhases.indexOf(to)).toBeGreaterThan(callPhases.indexOf(from));
      }
    }
  });
});

describe('publicCallStatus', () => {
  test.each([
    ['queued', null, 'init'],
    ['placing', null, 'init'],
    ['ringing', null, 'init'],
    ['answered', null, 'start'],
    ['ended', 'completed', 'finish'],
    ['ended', 'failed', 'error'],
    ['ended', 'invalid_number', 'error'],
    ['ended', 'unknown', 'error'],
    ['ended', null, 'error'],
    ['ended', 'no_answer', 'other'],
    ['ended', 'busy', 'other'],
    ['ended', 'rejected', 'other'],
    ['ended', 'voicemail', 'other'],
    ['ended', 'canceled', 'other'],
  ] as const)('of a call that is %s with %s is %s', (phase, outcome, status) => {
    expect(publicCallStatus(phase, outcome)).toBe(status);
  });
});
