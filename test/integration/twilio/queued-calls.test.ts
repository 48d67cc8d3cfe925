import { describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import {
  callsOf,
  canceled,
  consentOf,
  dialed,
  queuedCampaign,
  recipientsOf,
  revoke,
  untilQueued,
  untilUndone,
} from './queued-at-twilio.ts';
import { useTwilioWorld } from './twilio-world.ts';

const numbers = ['+15557000101', '+15557000102', '+15557000103'];

describe('calls that wait at Twilio', () => {
  test('are withdrawn by a pause, use no attempt, and are dialed after the resume', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    const campaignId = await queuedCampaign(world, numbers);
    const { manager } = world.organization.clients;
    await manager.setStatus(campaignId, 'paused');
    await untilUndone(world, campaignId);
    expect(canceled(world)).toHaveLength(3);
    await world.twilio.settled();
    expect(world.twilio.deliveries.map(({ answers }) => answers)).toEqual(numbers.map(() => [200]));
    expect(dialed(world)).toEqual([]);
    expect(await recipientsOf(world, campaignId)).toMatchObject(
      numbers.map(() => ({ state: 'pending', attempts: 0, round_attempts: 0 })),
    );
    expect((await world.provider()).lines_in_use).toBe(0);

    world.twilio.setPace(undefined);
    await manager.setStatus(campaignId, 'running');
    await world.finished(campaignId);
    const calls = await callsOf(world, campaignId);
    expect(calls.map((call) => ({ attempt: call.attempt, outcome: call.outcome }))).toEqual(
      numbers.map(() => ({ attempt: 1, outcome: 'completed' })),
    );
    expect(new Set(dialed(world).map((call) => call.form.get('To')))).toEqual(new Set(numbers));
    expect(dialed(world)).toHaveLength(numbers.length);
  });

  test('are withdrawn when their window closes', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    // A Monday morning in New York.
    await world.clock.set('2027-03-01T11:00:00-05:00');
    const { manager } = world.organization.clients;
    const { id: campaignId } = await manager.createCampaign({
      name: 'Mornings',
      agent_id: world.organization.agentId,
      phone_numbers: numbers,
      start_time: '09:00',
      end_time: '12:00',
      status: 'running',
    });
    await untilQueued(world, campaignId, 3);
    await world.clock.set('2027-03-01T12:00:01-05:00');
    await untilUndone(world, campaignId);
    expect(canceled(world)).toHaveLength(3);

    world.twilio.setPace(undefined);
    await world.clock.set('2027-03-02T09:00:00-05:00');
    await world.finished(campaignId);
    expect(dialed(world)).toHaveLength(3);
    const calls = await callsOf(world, campaignId);
    expect(calls.map((call) => call.attempt)).toEqual([1, 1, 1]);
  });

  test('are withdrawn when they have waited for longer than a whole call may take, and tried again', async () => {
    const settings = { ringTimeoutSeconds: 30, maxCallSeconds: 60 };
    const world = await useTwilioWorld({ callsPerSecond: 0, settings });
    const [number = ''] = numbers;
    const campaignId = await queuedCampaign(world, [number]);
    await world.clock.advance(100_000);
    await waitFor('withdrawn', () => canceled(world).length === 1);
    world.twilio.setPace(undefined);
    await world.finished(campaignId);
    const calls = await callsOf(world, campaignId);
    expect(calls.map((call) => [call.attempt, call.outcome])).toEqual([[1, 'completed']]);
  });

  test('continue if they already ring', async () => {
    // It has to be seen ringing, also on a busy machine.
    const world = await useTwilioWorld({ ringMs: 10_000, talkMs: 100 });
    const campaignId = await world.campaign(['+15557000101']);
    await waitFor('ringing', async () => (await callsOf(world, campaignId))[0]?.phase === 'ringing');
    await world.organization.clients.manager.setStatus(campaignId, 'paused');
    const call = await waitFor('ended', async () => {
      const [only] = await callsOf(world, campaignId);
      return only?.phase === 'ended' ? only : null;
    });
    expect(call.outcome).toBe('completed');
    expect(canceled(world)).toEqual([]);
  });

  test('stay attempts if they are dialed at the moment of the withdrawal', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0, ringMs: 60_000 });
    const campaignId = await queuedCampaign(world, ['+15557000101']);
    world.twilio.dialBeforeCancel();
    await world.organization.clients.manager.setStatus(campaignId, 'paused');
    const call = await waitFor('ended', async () => {
      const [only] = await callsOf(world, campaignId);
      return only?.phase === 'ended' ? only : null;
    });
    expect(call).toMatchObject({ attempt: 1, outcome: 'canceled', line_held: false });
    expect(await recipientsOf(world, campaignId)).toMatchObject([{ state: 'done', attempts: 1 }]);
  });

  test('continue without a consent if their campaign no longer requires one', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    const [stays = '', goes = ''] = numbers;
    const consentIds = [await consentOf(world, stays), await consentOf(world, goes)];
    const staying = await world.campaign([stays], { require_consent: true });
    const going = await world.campaign([goes], { require_consent: true });
    for (const campaignId of [staying, going]) await untilQueued(world, campaignId, 1);
    await world.db
      .updateTable('campaign_configs')
      .set({ require_consent: false })
      .where('campaign_id', '=', staying)
      .execute();
    await revoke(world, consentIds);
    // Both are looked up together.
    await untilUndone(world, going);
    await waitFor('suppressed', async () => (await recipientsOf(world, going))[0]?.state === 'suppressed');
    expect(await callsOf(world, staying)).toMatchObject([{ phase: 'placing' }]);
    expect(canceled(world).map((call) => call.form.get('To'))).toEqual([goes]);
  });

  test('are withdrawn if they are direct and get no line in time', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0, settings: { ringTimeoutSeconds: 30 } });
    const callId = await world.call('+15557000101');
    await waitFor('accepted', async () => (await world.row(callId)).accepted_at);
    await world.clock.advance(61_000);
    expect(await world.until(callId, 'ended')).toMatchObject({
      outcome: 'canceled',
      external_status: 'no_line_in_time',
      line_held: false,
    });
    expect(canceled(world)).toHaveLength(1);
  });
});

describe('a call that was canceled at Twilio before it was dialed', () => {
  test('ends as canceled if it was a direct call', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    const callId = await world.call('+15557000101');
    await waitFor('accepted', async () => (await world.row(callId)).accepted_at);
    const [call] = world.twilio.calls.values();
    if (!call) throw new Error('no call');
    // As a person in its console, or a worker that died before it recorded the withdrawal.
    world.twilio.cancel(call);
    expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'canceled', line_held: false });
  });

  test('changes nothing by callbacks that come late', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    const campaignId = await queuedCampaign(world, ['+15557000101']);
    const { manager } = world.organization.clients;
    await manager.setStatus(campaignId, 'paused');
    await untilUndone(world, campaignId);
    const [first] = world.twilio.calls.values();
    const url = first?.form.get('StatusCallback') ?? '';
    const answersTo = async (status: string) => {
      const fields = { CallSid: first?.sid ?? '', CallStatus: status };
      return new Set((await world.twilio.send({ url, fields })).answers);
    };
    for (const expected of ['canceled', 'initiated']) {
      expect(await answersTo(expected)).toEqual(new Set([200]));
    }
    // These callbacks say that the person was called after all, so the refusals must show in Twilio's debugger.
    for (const wrong of ['ringing', 'completed']) expect(await answersTo(wrong)).toEqual(new Set([404]));
    const unsigned = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ CallStatus: 'canceled' }),
    });
    expect(unsigned.status).toBe(401);
    expect(await recipientsOf(world, campaignId)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    world.twilio.setPace(undefined);
    await manager.setStatus(campaignId, 'running');
    await world.finished(campaignId);
    const calls = await callsOf(world, campaignId);
    expect(calls.map((call) => [call.attempt, call.outcome])).toEqual([[1, 'completed']]);
  });
});
