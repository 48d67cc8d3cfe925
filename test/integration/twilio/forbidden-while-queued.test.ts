import { addSuppressions, addToScrubList, engineNow, inTransaction, updateOrganization } from '@outdial/db';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import {
  callsOf,
  consentOf,
  dialed,
  isWithdrawn,
  queuedCampaign,
  recipientsOf,
  revoke,
  untilQueued,
  untilUndone,
} from './queued-at-twilio.ts';
import { openTwilioWorld, useTwilioWorld, type TwilioWorld } from './twilio-world.ts';

const number = '+15557000201';
const other = '+15557000202';
/** Promised are five seconds (docs/compliance.md); a busy machine may take longer. Without the protection, a call is looked up only after this time. */
const settings = { ringTimeoutSeconds: 600 };

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
    updateOrganization(tx, world.organization.id, { allowed_countries: ['US'] }, now),
  );
}

const untilCanceled = (world: TwilioWorld, to: string) =>
  waitFor('withdrawn at Twilio', () => isWithdrawn(world, to));

async function untilState(world: TwilioWorld, campaignId: string, state: string): Promise<void> {
  await untilUndone(world, campaignId);
  // If two look-ups meet, the second takes the call for one that somebody else canceled: its recipient is due after a minute.
  await world.clock.advance(61_000);
  await waitFor(state, async () => {
    const [recipient] = await recipientsOf(world, campaignId);
    return recipient?.state === state && recipient.attempts === 0;
  });
}

describe('a call that waits at Twilio', () => {
  test('is withdrawn if its number leaves the list during a pause, even if the campaign runs again before', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0, settings });
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
});

describe('a call that waits at Twilio with others', () => {
  let world: TwilioWorld;
  beforeAll(async () => {
    world = await openTwilioWorld({ callsPerSecond: 0, settings });
  });
  afterAll(() => world.close());

  let last = 0;
  /** A number that no other test calls. */
  const newNumber = (prefix = '+155570003') => `${prefix}${String((last += 1)).padStart(2, '0')}`;
  const refusals = (reason: string) => world.gateRefusals.get(reason) ?? 0;

  test('is withdrawn if a scrub list gets its number', async () => {
    const phone = newNumber();
    await scrub(world, []);
    const campaignId = await world.campaign([phone], { scrub_lists: ['registry'] });
    await untilQueued(world, campaignId, 1);
    await scrub(world, [phone]);
    await untilCanceled(world, phone);
    await untilState(world, campaignId, 'suppressed');
    // Counted after the commit that others read.
    expect(await waitFor('a counted refusal', () => refusals('on_scrub_list'))).toBe(1);
  });

  test('is withdrawn and dialed under another consent if its own is revoked', async () => {
    const phone = newNumber();
    const older = await consentOf(world, phone);
    const newer = await consentOf(world, phone);
    const campaignId = await world.campaign([phone], { require_consent: true });
    await untilQueued(world, campaignId, 1);
    const [first] = await callsOf(world, campaignId);
    const usedId = first?.consent_id ?? '';
    await revoke(world, [usedId]);
    await untilCanceled(world, phone);
    await waitFor('queued again', async () => {
      const [call] = await callsOf(world, campaignId);
      return call !== undefined && call.id !== first?.id;
    });
    const [again] = await callsOf(world, campaignId);
    expect(new Set([usedId, again?.consent_id])).toEqual(new Set([older, newer]));
    expect(again?.attempt).toBe(1);
  });

  test('is withdrawn if it is direct and its number is suppressed, and ends as canceled', async () => {
    const phone = newNumber();
    const callId = await world.call(phone);
    await waitFor('accepted', async () => (await world.row(callId)).accepted_at);
    const suppressions = [{ phoneNumber: phone, reason: null }];
    // Past the API, which would have it checked at once.
    await addSuppressions(world.db, { organizationId: world.organization.id, suppressions });
    await untilCanceled(world, phone);
    expect(await world.until(callId, 'ended')).toMatchObject({
      outcome: 'canceled',
      external_status: 'suppressed',
    });
  });

  // Last, since it changes the organization.
  test('is withdrawn if its organization may no longer call its country, whether of a campaign or direct', async () => {
    const [listed, direct] = [newNumber('+4930123456'), newNumber('+4930123456')];
    const campaignId = await queuedCampaign(world, [listed]);
    const callId = await world.call(direct);
    await waitFor('accepted', async () => (await world.row(callId)).accepted_at);
    await allowOnlyAmerica(world);
    await untilCanceled(world, listed);
    // Before the clock moves: by then it would have waited for too long anyway.
    await untilCanceled(world, direct);
    await untilState(world, campaignId, 'suppressed');
    expect(await world.until(callId, 'ended')).toMatchObject({
      outcome: 'canceled',
      external_status: 'number_refused',
    });
    expect(dialed(world)).toEqual([]);
  });
});
