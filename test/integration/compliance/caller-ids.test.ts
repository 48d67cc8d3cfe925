import {
  addSuppressions,
  forgetCallerIdUses,
  inTransaction,
  lockCallerIdPool,
  readCallerIdHours,
  removeCallerId,
  restCallerIds as restThem,
  updateOrganization,
  type NewCallerId,
} from '@outdial/db';
import type { PlaceCallRequest } from '@outdial/core';
import { placeDirectCall, restCallerIds } from '@outdial/engine';
import { describe, expect, test } from 'vitest';
import { engineInStep } from '../../compliance/campaign/engine-in-step.ts';
import { anyBackend } from '../../support/queues.ts';
import { untilAtRest } from '../../support/stack/campaign-watch.ts';
import { recordedDials } from '../../support/stack/dials.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { campaignByHand, noProcesses } from '../engine/by-hand.ts';
import { finishedWithoutScheduler, phoneNumbers, runCampaign } from '../engine/campaign.ts';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';

const hourMs = 3_600_000;
const newYork = '+12125550123';
const london = '+442071838750';
type Stack = Awaited<ReturnType<typeof useStack>>;

const add = (stack: Pick<Stack, 'db'>, organizationId: string, differs: Partial<NewCallerId> = {}) =>
  addConfirmedCallerId(stack.db, organizationId, differs);

const change = ({ baseUrl }: Stack, { apiKeys }: TestOrganization, id: string, json: object) =>
  fetch(`${baseUrl}/api/v1/caller-ids/${id}`, {
    method: 'PUT',
    headers: { 'X-API-Key': apiKeys.manager, 'Content-Type': 'application/json' },
    body: JSON.stringify(json),
  });

const callsOf = ({ db }: Pick<Stack, 'db'>) =>
  db.selectFrom('calls').select(['phone_number', 'from_phone', 'gated_at']).orderBy('gated_at').execute();
const usesOf = ({ db }: Pick<Stack, 'db'>) => db.selectFrom('caller_id_uses').selectAll().execute();

describe('caller ids', () => {
  test('make as many calls as they may in a day; the others wait with a reason, and are called when one is free', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const organization = await stack.organization();
    await add(stack, organization.id, { calls_per_day: 2 });
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(3) },
      { call_on_weekend: true },
    );
    const dials = await campaign.dialed(2);
    await untilAtRest(stack.db, campaign.id);
    const freeAt = new Date(Number(dials[0]?.gatedAt) + 24 * hourMs);
    expect(await organization.clients.manager.readDialing(campaign.id)).toEqual({
      waitingFor: 'caller_id',
      nextDialAt: freeAt,
    });
    // A permit that is released unused wakes no campaign, but the campaign looks again before the next day.
    const { wake_at } = await stack.db
      .selectFrom('campaign_runtime')
      .select('wake_at')
      .where('campaign_id', '=', campaign.id)
      .executeTakeFirstOrThrow();
    expect(Number(wake_at) - (await stack.clock.now()).getTime()).toBeLessThanOrEqual(5 * 60_000);
    await stack.clock.advance(24 * hourMs);
    await campaign.dialed(3);
    expect((await callsOf(stack)).map((call) => call.from_phone)).toEqual([newYork, newYork, newYork]);
  });

  test('are used for direct calls too, and again for the same person', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const organization = await stack.organization();
    const { clients, agentId } = organization;
    const [number = ''] = phoneNumbers(1);
    await add(stack, organization.id);
    const call = async (count: number) => {
      await clients.member.makeCall(agentId, { to_phone: number });
      await waitFor('the call to end', async () => {
        const calls = await stack.db.selectFrom('calls').select('phase').execute();
        return calls.length === count && calls.every(({ phase }) => phase === 'ended');
      });
    };
    await call(1);
    await add(stack, organization.id, { phone_number: '+12125550124', attestation: 'A' });
    await call(2);
    expect((await callsOf(stack)).map((one) => one.from_phone)).toEqual([newYork, newYork]);
    expect(await recordedDials(stack.db)).toHaveLength(2);
  });

  test('are not those of an earlier gate of a direct call that was undone', async () => {
    const stack = await useStack(noProcesses);
    const { deps } = engineInStep(stack);
    const carrier = deps.providers.get('simulator');
    if (carrier === undefined) throw new Error('no simulator');
    const fromPhone = '+15550001111';
    const { id: organizationId, agentId, clients } = await stack.organization();
    await stack.db
      .updateTable('agents')
      .set({ config: JSON.stringify({ telephony: { from_phone: fromPhone } }) })
      .execute();
    const callerId = await add(stack, organizationId);
    const { id } = await clients.member.makeCall(agentId, { to_phone: '+15551230000' });
    const froms: Array<string | null> = [];
    const providers = new Map([
      [
        'simulator',
        {
          ...carrier,
          place: (request: PlaceCallRequest) => {
            froms.push(request.fromPhone);
            return Promise.resolve({ kind: 'defer' as const, retryAfterMs: 1_000, reason: 'no room' });
          },
        },
      ],
    ]);
    await placeDirectCall({ ...deps, providers }, id ?? '');
    await inTransaction(stack.db, (tx) => removeCallerId(tx, { organizationId, callerId }));
    await stack.clock.advance(2_000);
    await placeDirectCall({ ...deps, providers }, id ?? '');
    expect(froms).toEqual([newYork, fromPhone]);
  });

  test('rest when people do not answer, and are called from again when the rest is over', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const organization = await stack.organization();
    await add(stack, organization.id);
    const first = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(20, '92') },
      { max_concurrent_calls: 20, retry_on: [] },
    );
    await first.finished();
    const state = async () => {
      const rows = await stack.db.selectFrom('caller_ids').select(['state', 'state_reason']).execute();
      return rows[0];
    };
    await restCallerIds(stack.control);
    expect(await state()).toEqual({ state: 'resting', state_reason: 'answer_rate' });
    // Editing the note neither ends a rest nor makes it endless.
    const { id, resting_until: until } = await stack.db
      .selectFrom('caller_ids')
      .select(['id', 'resting_until'])
      .executeTakeFirstOrThrow();
    const noted = await change(stack, organization, id, { state_reason: 'asked the carrier' });
    expect(await noted.json()).toMatchObject({
      data: {
        state: 'resting',
        state_reason: 'asked the carrier',
        resting_until: until?.toISOString(),
      },
    });
    const second = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(1, '00', '556') },
      { call_on_weekend: true },
    );
    await untilAtRest(stack.db, second.id);
    expect(await second.dials()).toEqual([]);
    await stack.clock.advance(24 * hourMs);
    await restCallerIds(stack.control);
    await second.dialed(1);
    expect(await state()).toEqual({ state: 'active', state_reason: null });
  });

  test('rest when calls are over at once, by the calls of the last hour alone', async () => {
    // A scheduler may judge the first calls before an hour has passed.
    const stack = await useStack({ backend: anyBackend(), schedulers: 0 });
    const organization = await stack.organization();
    await add(stack, organization.id);
    // The simulated talk time is zero.
    const callTwenty = async (areaCode: string) => {
      const phone_numbers = phoneNumbers(20, '00', areaCode);
      const campaign = await runCampaign(
        stack,
        organization,
        { phone_numbers },
        { max_concurrent_calls: 20 },
      );
      await finishedWithoutScheduler(stack, campaign);
    };
    const reason = async () => {
      const rows = await stack.db.selectFrom('caller_ids').select('state_reason').execute();
      return rows[0]?.state_reason;
    };
    await callTwenty('555');
    await stack.clock.advance(hourMs + 60_000);
    await restCallerIds(stack.control);
    expect(await reason()).toBeNull();
    await callTwenty('556');
    await restCallerIds(stack.control);
    expect(await reason()).toBe('short_calls');
    // A user ends the rest: the same calls do not let the number rest again, even if they were read before.
    const { id } = await stack.db.selectFrom('caller_ids').select('id').executeTakeFirstOrThrow();
    const put = async (state: string) =>
      expect((await change(stack, organization, id, { state })).status).toBe(200);
    await put('active');
    await restCallerIds(stack.control);
    expect(await reason()).toBeNull();
    await callTwenty('557');
    const read = await readCallerIdHours(stack.db);
    expect(read).toMatchObject([{ id, hour: { ended: 20 } }]);
    await put('resting');
    await put('active');
    const rests = read.map((one) => ({ ...one, reason: 'short_calls', hours: 1 }));
    expect(await restThem(stack.db, rests)).toBe(0);
  });

  test('are local to the person only if the operator allows local presence', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const organization = await stack.organization();
    await add(stack, organization.id, { attestation: 'A' });
    await add(stack, organization.id, { phone_number: '+13125550124', prefixes: ['+1312'] });
    const callFrom = async (phone: string) => {
      const campaign = await runCampaign(stack, organization, { phone_numbers: [phone] });
      await campaign.dialed(1);
      const calls = await callsOf(stack);
      return calls.find((call) => call.phone_number === phone)?.from_phone;
    };
    expect(await callFrom('+13125551000')).toBe(newYork);
    const now = await stack.clock.now();
    await inTransaction(stack.db, (tx) =>
      updateOrganization(tx, organization.id, { caller_id_rules: { localPresence: true } }, now),
    );
    expect(await callFrom('+13125551001')).toBe('+13125550124');
  });

  test('count from the gate of their dial, for exactly an hour and a day, and are released if it is undone', async () => {
    const hand = await campaignByHand({ call_back_attempts: 3, retry_delay_seconds: 0 });
    const { stack } = hand;
    const { organization_id: organizationId } = await hand.recipient();
    await add(stack, organizationId, { calls_per_hour: 2 });
    const [call] = await hand.dialAll();
    const gatedMs = Number(call?.gated_at);
    await stack.clock.stop();
    expect(await usesOf(stack)).toMatchObject([{ call_id: call?.id, dialed_at: call?.gated_at }]);
    const before = await stack.clock.now();
    const usedAfter = async (ms: number) => {
      await stack.clock.set(new Date(gatedMs + ms));
      const pool = await inTransaction(stack.db, (tx) => lockCallerIdPool(tx, organizationId));
      return pool.callerIds.map(({ callsPerHour, hour, day }) => ({ callsPerHour, hour, day }));
    };
    const [used, free] = [
      { calls: 1, firstAt: call?.gated_at },
      { calls: 0, firstAt: null },
    ];
    expect(await usedAfter(hourMs - 1)).toEqual([{ callsPerHour: 2, hour: used, day: used }]);
    expect(await usedAfter(hourMs)).toEqual([{ callsPerHour: 2, hour: free, day: used }]);
    expect(await usedAfter(24 * hourMs - 1)).toEqual([{ callsPerHour: 2, hour: free, day: used }]);
    expect(await usedAfter(24 * hourMs)).toEqual([{ callsPerHour: 2, hour: free, day: free }]);
    await stack.clock.set(before);
    await hand.undo(call?.id ?? '');
    expect(await usesOf(stack)).toEqual([]);
  });

  test('are not taken by somebody whom the gate refuses', async () => {
    const hand = await campaignByHand();
    const { organization_id: organizationId, phone_number: phoneNumber } = await hand.recipient();
    await add(hand.stack, organizationId);
    await addSuppressions(hand.stack.db, { organizationId, suppressions: [{ phoneNumber, reason: null }] });
    expect(await hand.dialAll()).toEqual([]);
    expect(await usesOf(hand.stack)).toEqual([]);
  });

  test('take their permits with them when they are removed', async () => {
    const hand = await campaignByHand();
    const { organization_id: organizationId } = await hand.recipient();
    const removed = await add(hand.stack, organizationId);
    await hand.dialAll();
    await add(hand.stack, organizationId, { phone_number: london, country: 'GB' });
    expect(await usesOf(hand.stack)).toHaveLength(1);
    await inTransaction(hand.stack.db, (tx) => removeCallerId(tx, { organizationId, callerId: removed }));
    expect(await usesOf(hand.stack)).toEqual([]);
  });

  test('and caps per person cost an organization without them nothing: no row is written', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const organization = await stack.organization();
    const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(3) });
    await campaign.finished();
    expect(await usesOf(stack)).toEqual([]);
    expect(await stack.db.selectFrom('called_people').selectAll().execute()).toEqual([]);
    expect((await callsOf(stack)).map((call) => call.from_phone)).toEqual([null, null, null]);
  });

  test('that were taken for calls that never came are free again', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const organization = await stack.organization();
    const callerId = await add(stack, organization.id);
    const use = { organization_id: organization.id, caller_id: callerId };
    const at = await stack.clock.now();
    await stack.db
      .insertInto('caller_id_uses')
      .values({ ...use, call_id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13', used_at: at })
      .execute();
    await forgetCallerIdUses(stack.db, 100);
    expect(await usesOf(stack)).toHaveLength(1);
    await stack.clock.advance(11 * 60_000);
    await forgetCallerIdUses(stack.db, 100);
    expect(await usesOf(stack)).toEqual([]);
  });
});
