import type { CallFact } from '@outdial/core';
import type { LockedCall } from '@outdial/db';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldFacts, type FoldedCall } from './fold-facts.ts';

const gatedAt = new Date('2027-03-01T09:00:00Z');
const now = new Date('2027-03-01T09:05:00Z');

const placing: LockedCall = {
  id: 'c',
  organization_id: 'o',
  campaign_id: null,
  recipient_id: null,
  attempt: 1,
  round: null,
  round_attempt: null,
  provider: 'p',
  phase: 'placing',
  outcome: null,
  conversation_id: null,
  transcript: null,
  duration_seconds: null,
  cost: '0',
  recording_url: null,
  call_extract: null,
  external_status: null,
  events: [],
  gated_at: gatedAt,
  accepted_at: gatedAt,
  answered_at: null,
  ended_at: null,
  corrected_at: null,
  check_at: now,
  purpose: null,
  line_held: true,
  transfer_line: false,
};

const of = (kind: 'ringing' | 'answered'): CallFact => ({ kind, eventId: kind, at: gatedAt });
const machine: CallFact = { kind: 'machine', eventId: 'machine', at: gatedAt, answeredBy: 'machine_start' };
const completed: CallFact = {
  kind: 'ended',
  eventId: 'ended',
  at: now,
  outcome: 'completed',
  details: { durationSeconds: 9 },
};

/** Each fact arrives in a separate report, like an event. */
function after(facts: readonly CallFact[]): LockedCall {
  return facts.reduce<LockedCall>((call, fact) => {
    const folded: FoldedCall = foldFacts(call, { callId: call.id, facts: [fact] }, now);
    return { ...folded.call, events: [...folded.call.events, ...folded.newEvents] };
  }, placing);
}

describe('a fact that a machine answered', () => {
  test('turns a later `completed` into `voicemail`, even in the same report', () => {
    const facts = [of('ringing'), of('answered'), machine, completed];
    expect(after(facts)).toMatchObject({ outcome: 'voicemail', duration_seconds: 9 });
    expect(foldFacts(placing, { callId: 'c', facts }, now).ended?.outcome).toBe('voicemail');
  });

  test('changes no other outcome, and no earlier end', () => {
    const failed: CallFact = { ...completed, outcome: 'failed' };
    expect(after([of('answered'), machine, failed]).outcome).toBe('failed');
    expect(after([of('answered'), completed, machine]).outcome).toBe('completed');
  });

  test('does not change the phase, and counts once', () => {
    const call = after([of('answered'), machine, machine]);
    expect(call.phase).toBe('answered');
    expect(call.events.map((event) => event.type)).toEqual(['answered', 'machine']);
  });

  test('counts if it was reported before the end, in any order of the other facts', () => {
    const facts = [of('ringing'), of('answered'), machine, completed];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...facts), { maxLength: 10 }), (reported) => {
        const all = [...reported, completed];
        const ended = all.indexOf(completed);
        const isVoicemail = all.slice(0, ended).includes(machine);
        const call = after(all);
        expect(call.outcome).toBe(isVoicemail ? 'voicemail' : 'completed');
        expect(call.line_held).toBe(false);
        const ids = call.events.map((event) => event.id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});

describe('a fact about a conversation that could not be held to its end', () => {
  const failed: CallFact = {
    kind: 'counts_as',
    eventId: 'counts_as',
    at: gatedAt,
    outcome: 'failed',
    reason: 'endpoint_failed',
  };

  test('turns a later `completed` into its outcome, also of a machine', () => {
    expect(after([of('answered'), failed, completed])).toMatchObject({ outcome: 'failed' });
    expect(
      after([of('answered'), machine, { ...failed, outcome: 'invalid_number' }, completed]),
    ).toMatchObject({
      outcome: 'invalid_number',
    });
  });

  test('does not change an end that the provider tells more of, or that is decided', () => {
    expect(after([of('answered'), failed, { ...completed, outcome: 'canceled' }])).toMatchObject({
      outcome: 'canceled',
    });
    const late = after([of('answered'), completed, failed]);
    expect(late).toMatchObject({ outcome: 'completed' });
    expect(late.events.map(({ type }) => type)).not.toContain('counts_as');
  });
});

test('a note with an id counts once, like a fact, and one without an id each time', () => {
  const notes = [
    { type: 'conversation_ended', at: now.toISOString(), id: 'c:conversation_ended' },
    { type: 'rang_twice', at: now.toISOString() },
  ];
  const report = { callId: 'c', facts: [of('answered')], notes };
  const first = foldFacts(placing, report, now);
  const events = [...first.call.events, ...first.newEvents];
  expect(events.map(({ type }) => type)).toEqual(['conversation_ended', 'rang_twice', 'answered']);
  const again = foldFacts({ ...first.call, events }, report, now);
  expect(again.newEvents.map(({ type }) => type)).toEqual(['rang_twice']);
});
