import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outcomeOf, type CallEnding } from './outcome.ts';

const ending = (facts: Partial<CallEnding>): CallEnding => ({
  rang: false,
  answered: false,
  cause: 0,
  sipStatus: null,
  machine: false,
  canceled: false,
  handoffFailed: false,
  ...facts,
});

test.each<[string, Partial<CallEnding>, string]>([
  ['486', { cause: 17, sipStatus: 486 }, 'busy'],
  ['600', { cause: 17, sipStatus: 600 }, 'busy'],
  ['busy, from an Asterisk that does not report the SIP status', { cause: 17 }, 'busy'],
  ['busy after it rang', { cause: 17, sipStatus: 486, rang: true }, 'busy'],
  ['603', { cause: 21, sipStatus: 603 }, 'rejected'],
  ['603 after it rang', { cause: 21, sipStatus: 603, rang: true }, 'rejected'],
  ['607, for which Asterisk has no cause', { cause: 127, sipStatus: 607 }, 'rejected'],
  ['404', { cause: 1, sipStatus: 404 }, 'invalid_number'],
  ['410', { cause: 22, sipStatus: 410 }, 'invalid_number'],
  ['484', { cause: 28, sipStatus: 484 }, 'invalid_number'],
  ['503', { cause: 34, sipStatus: 503 }, 'failed'],
  ['503 after it rang', { cause: 34, sipStatus: 503, rang: true }, 'failed'],
  ['403, which refuses the caller and not the call', { cause: 21, sipStatus: 403 }, 'failed'],
  ['500', { cause: 38, sipStatus: 500 }, 'failed'],
  ['488', { cause: 58, sipStatus: 488 }, 'failed'],
  ['rang out, by Asterisk or by the carrier', { cause: 19, sipStatus: 480, rang: true }, 'no_answer'],
  ['rang, and the carrier gave up', { cause: 18, sipStatus: 408, rang: true }, 'no_answer'],
  ['a dead trunk, given up by Asterisk', { cause: 19, sipStatus: 480 }, 'failed'],
  ['a dead trunk, after the SIP timers', { cause: 18, sipStatus: 408 }, 'failed'],
  ['a mobile that is off', { cause: 20 }, 'no_answer'],
  ['hung up by the engine while it rang', { cause: 16, rang: true, canceled: true }, 'canceled'],
  ['busy at the moment when the engine hung up', { cause: 17, canceled: true }, 'canceled'],
  ['a conversation', { cause: 0, sipStatus: 200, rang: true, answered: true }, 'completed'],
  ['a conversation that we ended', { cause: 16, rang: true, answered: true }, 'completed'],
  ['answered without having rung', { cause: 16, answered: true }, 'completed'],
  ['hung up at its longest duration', { cause: 16, answered: true, canceled: true }, 'completed'],
  ['a machine', { cause: 16, answered: true, machine: true }, 'voicemail'],
  ['no runtime', { cause: 16, answered: true, handoffFailed: true }, 'failed'],
])('%s', (_name, facts, outcome) => {
  expect(outcomeOf(ending(facts))).toBe(outcome);
});

const anyEnding = fc.record<CallEnding>({
  rang: fc.boolean(),
  answered: fc.boolean(),
  cause: fc.integer({ min: 0, max: 127 }),
  sipStatus: fc.option(fc.integer({ min: 300, max: 699 })),
  machine: fc.boolean(),
  canceled: fc.boolean(),
  handoffFailed: fc.boolean(),
});

test('counts a person as reached only if the call was answered', () => {
  fc.assert(
    fc.property(anyEnding, (any) => {
      expect(any.answered || !['completed', 'voicemail'].includes(outcomeOf(any))).toBe(true);
    }),
  );
});

test('is "no answer" only if the phone rang, or the network reports that it is off', () => {
  fc.assert(
    fc.property(anyEnding, (any) => {
      expect(any.rang || any.cause === 20 || outcomeOf(any) !== 'no_answer').toBe(true);
    }),
  );
});
