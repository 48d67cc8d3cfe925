import {
  addPersonNumbers,
  inTransaction,
  setPersonCaps,
  updateOrganization,
  type OrganizationChange,
} from '@outdial/db';
import { dialDue } from '@outdial/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { untilAtRest } from '../../support/stack/campaign-watch.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { campaignByHand, overlapping } from '../engine/by-hand.ts';
import { dialNow, phoneNumbers, runCampaign } from '../engine/campaign.ts';

const [number = ''] = phoneNumbers(1);
const hourMs = 3_600_000;

describe('caps per person', () => {
  test('separate two campaigns: the second waits with its reason, uses no attempt, and dials after the gap', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const organization = await stack.organization({ person_caps: { gap_seconds: 4 * 3600 } });
    const { manager } = organization.clients;
    const first = await runCampaign(stack, organization, { phone_numbers: [number] });
    const [dial] = await first.dialed(1);
    await first.finished();
    const second = await runCampaign(stack, organization, { phone_numbers: [number] });
    await untilAtRest(stack.db, second.id);
    const freeAt = new Date(Number(dial?.gatedAt) + 4 * hourMs);
    expect(await manager.readDialing(second.id)).toEqual({ waitingFor: 'person_cap', nextDialAt: freeAt });
    const rows = stack.db.selectFrom('campaign_recipients').selectAll();
    const row = await rows.where('campaign_id', '=', second.id).executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      state: 'pending',
      attempts: 0,
      deferred_for: 'person_cap',
      next_attempt_at: freeAt,
    });
    await stack.clock.advance(4 * hourMs);
    const [later] = await second.dialed(1);
    expect(Number(later?.gatedAt)).toBeGreaterThanOrEqual(Number(freeAt));
  });

  test.each(['the caps', 'the purpose'] as const)(
    'no longer delay a person when %s that forbade the call change',
    async (changed) => {
      const purpose = 'debt_collection';
      const hand = await campaignByHand({ call_back_attempts: 3, retry_delay_seconds: 0, purpose });
      const { db, clock } = hand.stack;
      const { organization_id: organizationId } = await hand.recipient();
      const set = (caps: OrganizationChange['person_caps']) =>
        inTransaction(db, async (tx) =>
          updateOrganization(tx, organizationId, { person_caps: caps }, await clock.now()),
        );
      await set(
        changed === 'the caps' ? { calls: [{ calls: 1, hours: 744 }] } : { after_conversation_hours: 168 },
      );
      await hand.end(await hand.dial(), 'busy');
      await sql`update called_people set conversation_at = engine_now()`.execute(db);
      expect(await hand.dialAll()).toEqual([]);
      expect(await hand.recipient()).toMatchObject({ deferred_for: 'person_cap' });
      if (changed === 'the caps') await set({ calls: null });
      else await hand.manager.setConfig(hand.campaignId, { purpose: 'service' });
      expect(await hand.dialAll()).toHaveLength(1);
    },
  );

  test('count the calls to all numbers of a person, also those of one moment, and conversations', async () => {
    const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
    const organization = await stack.organization({
      person_caps: { calls: [{ calls: 1, hours: 24 }], after_conversation_hours: 168 },
    });
    const { id: organizationId, clients } = organization;
    const numbers = phoneNumbers(4);
    const people = [0, 1, 3].map((n) => ({ phoneNumber: numbers[n] ?? '', personRef: 'customer-4711' }));
    await inTransaction(stack.db, (tx) => addPersonNumbers(tx, { organizationId, numbers: people }));
    const { id } = await runCampaign(
      stack,
      organization,
      { phone_numbers: numbers.slice(0, 3) },
      { purpose: 'debt_collection', call_on_weekend: true },
    );
    const toAnother = () => clients.member.makeCall(organization.agentId, { to_phone: numbers[3] ?? '' });
    const calls = await dialNow(stack, id);
    expect(calls.map((call) => call.pass.toPhone)).toEqual([numbers[0], numbers[2]]);
    // Its number was never called.
    await stack.db
      .deleteFrom('called_people')
      .where('phone_number', '=', numbers[3] ?? '')
      .execute();
    await expect(toAnother()).rejects.toMatchObject({ code: 'person_capped' });
    expect(await dialNow(stack, id)).toEqual([]);
    expect(await clients.manager.readDialing(id)).toMatchObject({ waitingFor: 'person_cap' });
    await sql`update called_people set conversation_at = engine_now() where phone_number = ${numbers[0]}`.execute(
      stack.db,
    );
    await stack.clock.advance(25 * hourMs);
    expect(await dialNow(stack, id)).toEqual([]);
    await stack.clock.advance(168 * hourMs);
    expect((await dialNow(stack, id)).map((call) => call.pass.toPhone)).toEqual([numbers[1]]);
  });

  test('count a call to another number of the person that has not committed yet', async () => {
    const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
    const organization = await stack.organization({ person_caps: { calls: [{ calls: 1, hours: 24 }] } });
    const [other = '', one = '', another = ''] = phoneNumbers(3);
    const people = [one, another].map((phoneNumber) => ({ phoneNumber, personRef: 'customer-4711' }));
    const { id: organizationId } = organization;
    await inTransaction(stack.db, (tx) => addPersonNumbers(tx, { organizationId, numbers: people }));
    const first = await runCampaign(stack, organization, { phone_numbers: [other, one] });
    const second = await runCampaign(stack, organization, { phone_numbers: [other, another] });
    await dialNow(stack, first.id, 1);
    const metrics = { ...stack.control.metrics, callPlaced: () => undefined, gateRefused: () => undefined };
    await overlapping(
      stack.db,
      (tx) => dialDue(tx, { ...stack.control, metrics }, [first.id], () => 100),
      () => dialNow(stack, second.id),
    );
    const calls = await stack.db.selectFrom('calls').select('phone_number').orderBy('created_at').execute();
    expect(calls.map((call) => call.phone_number)).toEqual([other, one]);
  });

  test('no longer count an undone attempt, and only that one', async () => {
    const hand = await campaignByHand({ call_back_attempts: 3, retry_delay_seconds: 0 });
    const { organization_id: organizationId } = await hand.recipient();
    const change = { calls: [{ calls: 2, hours: 24 }] };
    await setPersonCaps(hand.stack.db, { organizationId, change, now: await hand.stack.clock.now() });
    const counted = async () => {
      const rows = await hand.stack.db.selectFrom('called_people').select('dialed_at').execute();
      return rows.flatMap((row) => row.dialed_at);
    };
    const firstCall = await hand.dial();
    const [first] = await counted();
    await hand.end(firstCall, 'busy');
    await hand.stack.clock.advance(1_000);
    await hand.undo(await hand.dial());
    expect(await counted()).toEqual([first]);
    await hand.dial();
    expect(await counted()).toHaveLength(2);
  });

  test('allow no call to a person for a week after a conversation about a debt, whichever campaign it was', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const organization = await stack.organization({ person_caps: { after_conversation_hours: 168 } });
    const debt = { purpose: 'debt_collection' as const, call_on_weekend: true };
    const first = await runCampaign(stack, organization, { phone_numbers: [number] }, debt);
    await first.finished();
    const second = await runCampaign(stack, organization, { phone_numbers: [number] }, debt);
    const service = await runCampaign(
      stack,
      organization,
      { phone_numbers: [number] },
      { purpose: 'service' },
    );
    await service.dialed(1);
    await untilAtRest(stack.db, second.id);
    expect(await second.dials()).toEqual([]);
    expect(await organization.clients.manager.readDialing(second.id)).toMatchObject({
      waitingFor: 'person_cap',
    });
    await stack.clock.advance(168 * hourMs);
    await second.dialed(1);
  });

  test('count a conversation about a debt on a direct call, and refuse another for a week, but none about something else', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const { clients, agentId } = await stack.organization({ person_caps: { after_conversation_hours: 168 } });
    await clients.member.makeCall(agentId, { to_phone: number, purpose: 'debt_collection' });
    await waitFor('the call to end', async () => {
      const calls = await stack.db.selectFrom('calls').select('outcome').execute();
      return calls[0]?.outcome === 'completed';
    });
    const { ended_at: endedAt } = await stack.db
      .selectFrom('calls')
      .select('ended_at')
      .executeTakeFirstOrThrow();
    const people = await stack.db.selectFrom('called_people').select('conversation_at').execute();
    expect(people).toEqual([{ conversation_at: endedAt }]);
    const call = (purpose: 'debt_collection' | 'service') =>
      clients.member.makeCall(agentId, { to_phone: number, purpose });
    const refused = call('debt_collection');
    await expect(refused).rejects.toMatchObject({ status: 409, code: 'person_capped' });
    await expect(refused).rejects.toThrow(new Date(Number(endedAt) + 168 * hourMs).toISOString());
    await call('service');
    await waitFor('the other call to end', async () => {
      const calls = await stack.db.selectFrom('calls').select('phase').execute();
      return calls.length === 2 && calls.every(({ phase }) => phase === 'ended');
    });
  });
});
