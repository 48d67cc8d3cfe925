import { addSuppressions, inTransaction, suppressEverywhere } from '@outdial/db';
import { endWaitingForSuppressed } from '@outdial/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { phoneNumbers, runCampaign } from '../engine/campaign.ts';
import { useGatewayWorld } from '../gateway/gateway-world.ts';
import { takesEverything } from '../gateway/scripted-gateway.ts';

const [number = '', other = ''] = phoneNumbers(2);
const closed = { start_date: '2027-03-04', start_time: '09:00', end_time: '17:00' };

describe('who opts out', () => {
  test.each([
    ['by a word', { type: 'call.opt_out', data: { by: 'speech' } }, true],
    ['by the key of the agent', { type: 'call.dtmf', data: { digit: '9' } }, true],
    ['by no other key', { type: 'call.dtmf', data: { digit: '1' } }, false],
  ])('%s on a call is on the list once the event is answered: %j', async (_how, event, isListed) => {
    const world = await useGatewayWorld(takesEverything);
    await world.db
      .updateTable('agents')
      .set({ config: JSON.stringify({ compliance: { opt_out_key: '9' } }) })
      .execute();
    const call_id = await world.call('+15557000100');
    await waitFor('accepted', async () => (await world.row(call_id)).accepted_at);
    expect(await world.send({ call_id, ...event })).toBe(200);
    const listed = await world.db
      .selectFrom('suppressions')
      .select(['phone_number', 'source', 'reason'])
      .execute();
    expect(listed).toEqual(
      isListed ? [{ phone_number: '+15557000100', source: 'call', reason: 'asked for it on a call' }] : [],
    );
    // A later report of the call's end does not remove the opt-out.
    expect(await world.send({ call_id, type: 'call.ended', data: { outcome: 'no_answer' } })).toBe(200);
    expect(await world.db.selectFrom('suppressions').select('phone_number').execute()).toHaveLength(
      listed.length,
    );
  });

  test('waits in no campaign any more, whenever it would have been dialed; others stay', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const organization = await stack.organization();
    const campaign = await runCampaign(stack, organization, { phone_numbers: [number, other], ...closed });
    const elsewhere = await stack.organization();
    const untouched = await runCampaign(stack, elsewhere, { phone_numbers: [number], ...closed });
    await organization.clients.member.suppress(number, {});
    const stateOf = async (campaignId: string, phone: string) => {
      const rows = stack.db.selectFrom('campaign_recipients').select('state');
      const row = await rows
        .where('campaign_id', '=', campaignId)
        .where('phone_number', '=', phone)
        .executeTakeFirstOrThrow();
      return row.state;
    };
    await waitFor(
      'the recipient to be ended',
      async () => (await stateOf(campaign.id, number)) === 'suppressed',
    );
    expect(await stateOf(campaign.id, other)).toBe('pending');
    expect(await stateOf(untouched.id, number)).toBe('pending');
    const finished = await stack.db
      .selectFrom('outbox')
      .select('data')
      .where('type', '=', 'recipient.finished')
      .where('campaign_id', '=', campaign.id)
      .execute();
    expect(finished).toMatchObject([{ data: { reason: 'suppressed' } }]);
  });

  test('waits for open gates if the list changes, but not for notes', async () => {
    const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
    const organization = await stack.organization();
    const { db } = stack;
    const at = await stack.clock.now();
    await inTransaction(db, (tx) =>
      addSuppressions(tx, {
        organizationId: organization.id,
        suppressions: [{ phoneNumber: number, reason: null, note: null, expiresAt: null }],
        origin: { source: 'api', createdBy: null },
        known: 'replace',
      }),
    );
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    // The locks that a gate holds from its first statement to its commit.
    const gate = db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock_shared(3, hashtext(${organization.id}))`.execute(tx);
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const update = (set: ReturnType<typeof sql>) =>
      db.transaction().execute(async (tx) => {
        await sql`set local lock_timeout = '200ms'`.execute(tx);
        await sql`update suppressions set ${set} where phone_number = ${number}`.execute(tx);
      });
    await update(sql`recipients_check_at = null`);
    await expect(update(sql`expires_at = ${at}`)).rejects.toMatchObject({ code: '55P03' });
    release.resolve();
    await gate;
    await update(sql`expires_at = ${at}`);
  });

  test('of the whole installation stops all organizations, and direct calls are refused', async () => {
    const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
    const [first, second] = [await stack.organization(), await stack.organization()];
    for (const organization of [first, second]) {
      await runCampaign(stack, organization, { phone_numbers: [number], ...closed });
    }
    await inTransaction(stack.db, (tx) => suppressEverywhere(tx, [{ phoneNumber: number, reason: null }]));
    for (const { clients, agentId } of [first, second]) {
      const call = clients.member.makeCall(agentId, { to_phone: number });
      await expect(call).rejects.toMatchObject({ status: 409, code: 'number_suppressed' });
    }
    await endWaitingForSuppressed(stack.control);
    const recipients = stack.db.selectFrom('campaign_recipients').select(['state', 'phone_number']);
    expect(await recipients.where('state', '<>', 'suppressed').execute()).toEqual([]);
  });
});
