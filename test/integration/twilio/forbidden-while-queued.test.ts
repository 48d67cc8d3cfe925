import { addSuppressions, addToScrubList, engineNow, inTransaction, updateOrganization } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import {
  callsOf,
  canceled,
  dialed,
  giveConsent,
  queuedCampaign,
  recipientsOf,
  revoke,
  untilQueued,
  untilUndone,
} from './queued-at-twilio.ts';
import { useTwilioWorld, type TwilioWorld } from './twilio-world.ts';

const number = '+15557000201';
const other = '+15557000202';
const german = '+493012345678';
/** As soon as the call of a person who opted out (docs/compliance.md). */
const promisedMs = 5_000;

async function recipientIdOf(world: TwilioWorld, campaignId: string, phoneNumber: string): Promise<string> {
  const { id } = await world.db
    .selectFrom('campaign_recipients')
    .select('id')
    .where('campaign_id', '=', campaignId)
    .where('phone_number', '=', phoneNumber)
    .executeTakeFirstOrThrow();
  return id;
}

async function scrub(world: TwilioWorld, phoneNumbers: string[]): Promise<void> {
  const { rows } = await sql<{ now: Date }>`select engine_now() as now`.execute(world.db);
  const [{ now } = { now: new Date() }] = rows;
  await inTransaction(world.db, (tx) =>
    addToScrubList(tx, {
      organizationId: world.organization.id,
      name: 'registry',
      source: 'a registry',
      account: null,
      scrubbedAt: now,
      phoneNumbers,
      isComplete: true,
      isChecked: false,
    }),
  );
}

/** The operator no longer allows other countries. */
async function allowOnlyAmerica(world: TwilioWorld): Promise<void> {
  const now = await engineNow(world.db);
  await inTransaction(world.db, (tx) =>
    updateOrganization(tx, world.organization.id, { allowedCountries: ['US'] }, now),
  );
}

const untilCanceled = (world: TwilioWorld, to: string) =>
  waitFor(
    'withdrawn at Twilio',
    () => canceled(world).some((call) => call.form.get('To') === to && call.startTime === null),
    { withinMs: promisedMs },
  );

async function untilState(world: TwilioWorld, campaignId: string, state: string): Promise<void> {
  await waitFor(state, async () => {
    const [recipient] = await recipientsOf(world, campaignId);
    return recipient?.state === state && recipient.attempts === 0;
  });
}

describe('a call that waits at Twilio', () => {
  test('is withdrawn if its recipient is withdrawn, however long it has waited', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0, settings: { ringTimeoutSeconds: 30 } });
    const campaignId = await queuedCampaign(world, [number, other]);
    // By now its look-ups are regular, and the sweep leaves it to them.
    await world.clock.advance(60_000);
    const recipientId = await recipientIdOf(world, campaignId, number);
    await world.organization.clients.manager.withdrawRecipient(campaignId, recipientId, { hangUp: false });
    await untilCanceled(world, number);
    await waitFor('undone', async () => (await callsOf(world, campaignId)).length === 1);
    const recipients = await recipientsOf(world, campaignId);
    expect(recipients.map(({ state, attempts }) => [state, attempts])).toEqual(
      expect.arrayContaining([
        ['withdrawn', 0],
        ['dialing', 1],
      ]),
    );
    world.twilio.setPace(undefined);
    await waitFor('the other was dialed', () => dialed(world).length > 0);
    expect(dialed(world).map((call) => call.form.get('To'))).toEqual([other]);
  });

  test('is withdrawn if its number leaves the list during a pause, even if the campaign runs again before', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    const campaignId = await queuedCampaign(world, [number, other]);
    const { manager } = world.organization.clients;
    world.twilio.failLookUps(503);
    await manager.setStatus(campaignId, 'paused');
    await manager.updateCampaign(campaignId, { phone_numbers: [other] });
    await manager.setStatus(campaignId, 'running');
    expect(await callsOf(world, campaignId)).toHaveLength(2);
    world.twilio.failLookUps(null);
    await world.clock.advance(10_000);
    await untilCanceled(world, number);
    world.twilio.setPace(undefined);
    await waitFor('the other was dialed', () => dialed(world).length > 0);
    expect(dialed(world).map((call) => call.form.get('To'))).toEqual([other]);
  });

  test('is withdrawn if a scrub list gets its number', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    await scrub(world, []);
    const campaignId = await world.campaign([number], { scrubLists: ['registry'] });
    await untilQueued(world, campaignId, 1);
    await scrub(world, [number]);
    await untilCanceled(world, number);
    await untilState(world, campaignId, 'suppressed');
    expect(world.gateRefusals.get('on_scrub_list')).toBe(1);
  });

  test('is withdrawn if its campaign requires consent from now on, and its person gave none', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    const campaignId = await queuedCampaign(world, [number]);
    await world.organization.clients.manager.setConfig(campaignId, { require_consent: true });
    await untilCanceled(world, number);
    await untilState(world, campaignId, 'suppressed');
    expect(world.gateRefusals.get('no_consent')).toBe(1);
  });

  test('is withdrawn if its consent does not cover the new purpose of its campaign', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    await giveConsent(world, number, ['marketing']);
    const campaignId = await world.campaign([number], { requireConsent: true, purpose: 'marketing' });
    await untilQueued(world, campaignId, 1);
    await world.organization.clients.manager.setConfig(campaignId, { purpose: 'service' });
    await untilCanceled(world, number);
    await untilState(world, campaignId, 'suppressed');
    expect(world.gateRefusals.get('no_consent')).toBe(1);
  });

  test('is withdrawn and dialed under another consent if its own is revoked', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    const older = await giveConsent(world, number);
    const newer = await giveConsent(world, number);
    const campaignId = await world.campaign([number], { requireConsent: true });
    await untilQueued(world, campaignId, 1);
    const [first] = await callsOf(world, campaignId);
    const usedId = first?.consent_id ?? '';
    await revoke(world, [usedId]);
    await untilCanceled(world, number);
    await waitFor('queued again', async () => {
      const [call] = await callsOf(world, campaignId);
      return call !== undefined && call.id !== first?.id;
    });
    const [again] = await callsOf(world, campaignId);
    expect(new Set([usedId, again?.consent_id])).toEqual(new Set([older, newer]));
    expect(again?.attempt).toBe(1);
  });

  test('is withdrawn if the new rules of its campaign give it no attempt', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    const campaignId = await queuedCampaign(world, [number]);
    // As if an earlier call had been busy.
    await world.db
      .updateTable('campaign_recipients')
      .set({ attempts: 2, round_attempts: 2, last_outcome: 'busy' })
      .where('campaign_id', '=', campaignId)
      .execute();
    await world.db
      .updateTable('calls')
      .set({ attempt: 2, round_attempt: 2 })
      .where('campaign_id', '=', campaignId)
      .execute();
    await world.organization.clients.manager.setConfig(campaignId, { retry_on: ['no_answer'] });
    await untilCanceled(world, number);
    await untilUndone(world, campaignId);
    expect(dialed(world)).toEqual([]);
  });

  test('is withdrawn if its organization may no longer call its country', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    const campaignId = await queuedCampaign(world, [german]);
    await allowOnlyAmerica(world);
    await untilCanceled(world, german);
    await untilState(world, campaignId, 'suppressed');
    expect(world.gateRefusals.get('number_refused')).toBe(1);
  });

  test('is withdrawn if it is direct and its organization may no longer call its country', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    const callId = await world.call(german);
    await waitFor('accepted', async () => (await world.row(callId)).accepted_at);
    await allowOnlyAmerica(world);
    await untilCanceled(world, german);
    expect(await world.until(callId, 'ended')).toMatchObject({
      outcome: 'canceled',
      external_status: 'number_refused',
    });
  });

  test('is withdrawn if it is direct and its number is suppressed, and ends as canceled', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0 });
    const callId = await world.call(number);
    await waitFor('accepted', async () => (await world.row(callId)).accepted_at);
    const suppressions = [{ phoneNumber: number, reason: null }];
    // Past the API, which would have it checked at once.
    await addSuppressions(world.db, { organizationId: world.organization.id, suppressions });
    await untilCanceled(world, number);
    expect(await world.until(callId, 'ended')).toMatchObject({
      outcome: 'canceled',
      external_status: 'suppressed',
    });
  });
});
