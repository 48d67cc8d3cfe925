import { randomUUID } from 'node:crypto';
import { ensureProvider } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useFileGatewayWorld, useGatewayWorld, type Spoilt } from './gateway-world.ts';
import { json, otherSecret, takesEverything, type Reply } from './scripted-gateway.ts';

const toPhone = '+15557000100';
const ended = (outcome: string, more: object = {}) => ({
  type: 'call.ended',
  data: { outcome, duration: 12, external_status: outcome, ...more },
});

const world = await useFileGatewayWorld(takesEverything);
const linesInUse = async () => (await world.provider()).lines_in_use;

let calls = 0;

/** Each call uses a different number, because a second call to the same number would wait. */
async function acceptedCall(): Promise<string> {
  calls += 1;
  const callId = await world.call(`+1555720${String(calls).padStart(4, '0')}`);
  await waitFor('accepted', async () => (await world.row(callId)).accepted_at);
  return callId;
}

describe('events of a gateway', () => {
  test('move a call from ringing to its end, with all reported details', async () => {
    const linesBefore = await linesInUse();
    const call_id = await acceptedCall();
    expect(await world.row(call_id)).toMatchObject({ phase: 'placing', conversation_id: `c-${call_id}` });
    expect(await world.send({ call_id, type: 'call.ringing' })).toBe(200);
    expect((await world.row(call_id)).phase).toBe('ringing');
    expect(await world.send({ call_id, type: 'call.answered' })).toBe(200);
    expect((await world.row(call_id)).phase).toBe('answered');
    const facts = { cost: 0.12, transcript: 'hello', call_extract: { mood: 'good' } };
    expect(await world.send({ call_id, ...ended('completed', facts) })).toBe(200);
    expect(await world.row(call_id)).toMatchObject({
      phase: 'ended',
      outcome: 'completed',
      duration_seconds: 12,
      cost: '0.1200',
      transcript: 'hello',
      call_extract: { mood: 'good' },
      external_status: 'completed',
      line_held: false,
    });
    // Details that come after the end: the last transcript and the recording.
    const recording = { recording_url: `${world.gateway.url}/r.mp3` };
    expect(await world.send({ call_id, type: 'call.transcript', data: { transcript: 'better' } })).toBe(200);
    expect(await world.send({ call_id, type: 'call.recording', data: recording })).toBe(200);
    expect(await world.row(call_id)).toMatchObject({ transcript: 'better', ...recording, phase: 'ended' });
    expect(await linesInUse()).toBe(linesBefore);
  });

  test.each<[string, number, Spoilt]>([
    ['are unsigned', 401, { headers: { 'webhook-signature': '' } }],
    ['are signed with another secret', 401, { secret: otherSecret }],
    ['are six minutes old', 401, { sentMinutesAgo: 6 }],
    ['come from six minutes ahead', 401, { sentMinutesAgo: -6 }],
    ['were changed on their way', 401, { body: '{"type":"call.ended"}' }],
    ['have another id than was signed', 401, { headers: { 'webhook-id': 'another' } }],
    ['have an invalid signature', 401, { headers: { 'webhook-signature': 'v1 v1, ,v1,%%%' } }],
    ['are compressed', 415, { headers: { 'content-encoding': 'gzip' } }],
    ['are for an unknown provider', 404, { provider: 'nobody' }],
    ['are larger than a mebibyte', 413, { body: 'x'.repeat(1024 * 1024 + 1) }],
  ])('that %s are refused, and change nothing', async (_name, status, spoilt) => {
    const call_id = await acceptedCall();
    const before = await world.row(call_id);
    expect(await world.send({ call_id, ...ended('completed') }, spoilt)).toBe(status);
    expect(await world.row(call_id)).toEqual(before);
  });

  test('are judged by their signature before anything of them is read', async () => {
    const forged = { secret: otherSecret };
    expect(await world.send({ call_id: randomUUID(), type: 'call.ringing' }, forged)).toBe(401);
    expect(await world.send({ call_id: 'x', type: 'call.ended' }, { ...forged, body: 'no json' })).toBe(401);
  });

  test('of unknown types are accepted, and change nothing', async () => {
    const call_id = await acceptedCall();
    const before = await world.row(call_id);
    expect(await world.send({ call_id, type: 'call.sentiment', data: { mood: 'good' } })).toBe(200);
    expect(await world.row(call_id)).toEqual(before);
  });

  test.each<[string, { type: string; data?: object; occurred_at?: string; event_id?: string }]>([
    ['an unknown outcome', { type: 'call.ended', data: { outcome: 'splendid' } }],
    ['an end without an outcome', { type: 'call.ended', data: {} }],
    ['a negative duration', { type: 'call.ended', data: { outcome: 'completed', duration: -1 } }],
    [
      'a recording that is not a web address',
      { type: 'call.recording', data: { recording_url: 'file:///etc/passwd' } },
    ],
    ['a time without an offset', { type: 'call.ringing', occurred_at: '2026-01-01T00:00:00' }],
    ['an endless event id', { type: 'call.ringing', event_id: 'x'.repeat(201) }],
  ])('that carry %s get 422, and change nothing', async (_name, event) => {
    const call_id = await acceptedCall();
    const before = await world.row(call_id);
    expect(await world.send({ call_id, ...event })).toBe(422);
    expect(await world.row(call_id)).toEqual(before);
  });

  test('that have a name twice get 422, and change nothing', async () => {
    const call_id = await acceptedCall();
    const before = await world.row(call_id);
    const at = new Date().toISOString();
    for (const signed of [
      `{"event_id":"r1","call_id":"${call_id}","type":"call.ended","occurred_at":"${at}","data":{"outcome":"completed","outcome":"busy"}}`,
      `{"event_id":"r2","call_id":"${call_id}","type":"call.ended","type":"call.ringing","occurred_at":"${at}","data":{"outcome":"busy"}}`,
    ]) {
      expect(await world.send({ call_id, type: 'call.ended' }, { signed })).toBe(422);
    }
    expect(await world.row(call_id)).toEqual(before);
  });

  test('of unknown calls, or calls of another provider, get 404', async () => {
    const call_id = await acceptedCall();
    expect(await world.send({ call_id: randomUUID(), ...ended('busy') })).toBe(404);
    expect(await world.send({ call_id: 'no-uuid', ...ended('busy') })).toBe(404);
    await ensureProvider(world.db, { name: 'other', adapter: 'gateway' });
    await world.db.updateTable('calls').set({ provider: 'other' }).where('id', '=', call_id).execute();
    expect(await world.send({ call_id, ...ended('busy') })).toBe(404);
    expect((await world.row(call_id)).phase).toBe('placing');
    await world.db.updateTable('calls').set({ provider: 'gateway' }).where('id', '=', call_id).execute();
  });

  test('are accepted before the answer to the send', async () => {
    let answer: (reply: Reply) => void = () => undefined;
    const world = await useGatewayWorld(() => new Promise((resolve) => (answer = resolve)));
    const call_id = await world.call(toPhone);
    await waitFor('sent', () => world.gateway.seen.length === 1);
    expect(await world.send({ call_id, type: 'call.answered' })).toBe(200);
    expect(await world.row(call_id)).toMatchObject({ phase: 'answered', conversation_id: null });
    expect(await world.send({ call_id, ...ended('completed') })).toBe(200);
    answer(json(201, { conversation_id: 'late' }));
    await waitFor('the answer', async () => (await world.row(call_id)).conversation_id === 'late');
    expect(await world.row(call_id)).toMatchObject({
      phase: 'ended',
      outcome: 'completed',
      line_held: false,
    });
  });

  test('that overtake a deferral prevent a second dial', async () => {
    let answer: (reply: Reply) => void = () => undefined;
    const world = await useGatewayWorld(() => new Promise((resolve) => (answer = resolve)));
    const call_id = await world.call(toPhone);
    await waitFor('sent', () => world.gateway.seen.length === 1);
    expect(await world.send({ call_id, type: 'call.answered' })).toBe(200);
    answer(json(429, {}, { 'retry-after': '1' }));
    expect(await world.send({ call_id, ...ended('completed') })).toBe(200);
    expect(await world.row(call_id)).toMatchObject({ phase: 'ended', outcome: 'completed' });
    expect(world.gateway.placed()).toEqual([call_id]);
  });

  test('of a withdrawn call change nothing', async () => {
    const world = await useGatewayWorld(() => json(429, {}, { 'retry-after': '120' }));
    const call_id = await world.call(toPhone);
    await waitFor('the provider to close', async () => (await world.provider()).closed_until !== null);
    await waitFor('the attempt to be undone', async () => (await world.row(call_id)).phase === 'queued');
    const before = await world.row(call_id);
    expect(await world.send({ call_id, ...ended('completed', { transcript: 'who?' }) })).toBe(200);
    expect(await world.send({ call_id, type: 'call.transcript', data: { transcript: 'who?' } })).toBe(200);
    expect(await world.row(call_id)).toEqual(before);
  });

  test('with a clock that is wrong neither stretch a call nor end it', async () => {
    const call_id = await acceptedCall();
    expect(await world.send({ call_id, type: 'call.answered', occurred_at: '2099-01-01T00:00:00Z' })).toBe(
      200,
    );
    const call = await world.row(call_id);
    const now = await world.clock.now();
    expect(call.answered_at?.getTime()).toBeLessThanOrEqual(now.getTime());
    expect(call.check_at?.getTime()).toBeLessThanOrEqual(now.getTime() + 600_000);
    await world.send({ call_id, ...ended('completed') });

    const another = await world.call('+15557000102');
    await waitFor('accepted', async () => (await world.row(another)).accepted_at);
    await world.send({ call_id: another, type: 'call.answered', occurred_at: '1999-01-01T00:00:00Z' });
    const { answered_at, gated_at } = await world.row(another);
    expect(answered_at).toEqual(gated_at);
  });
});
