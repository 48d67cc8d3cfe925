import type { LookUpResult, TelephonyProvider } from '@outdial/core';
import { lockCampaign, lockOutGates, type Tx } from '@outdial/db';
import {
  checkCalls,
  createProgressRecorder,
  placeDirectCall,
  sendCall,
  withdrawQueuedCalls,
} from '@outdial/engine';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { engineInStep, withCarrier } from '../../compliance/campaign/engine-in-step.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { dialNow, phoneNumbers } from './campaign.ts';
import { byHand, noProcesses, whileHeld } from './by-hand.ts';

/** What goes on beside a long change of one campaign. */

type ByHand = Awaited<ReturnType<typeof byHand>>;

const stack = await useFileStack(noProcesses);

test('ends of calls of other campaigns are recorded, and its own after the change in the order of their arrival', async () => {
  const organization = await stack.organization();
  const numbers = phoneNumbers(4);
  const held = await byHand(stack, organization, {}, { phone_numbers: numbers });
  const other = await byHand(stack, await stack.organization());
  const callIds = (await held.dialAll()).map(({ id }) => id);
  const [firstCallId = ''] = callIds;
  const otherCallId = await other.dial();
  const recorder = createProgressRecorder({
    ...stack.control,
    settings: { ringTimeoutSeconds: 30, maxCallSeconds: 600 },
  });
  const at = await stack.clock.now();
  const answered = { kind: 'answered', eventId: 'answered', at } as const;
  const ended = { kind: 'ended', eventId: 'ended', at, outcome: 'busy', details: {} } as const;
  const recorded: Array<Promise<void>> = [];
  await whileHeld(
    stack.db,
    (tx) => lockCampaign(tx, { organizationId: organization.id, campaignId: held.campaignId }),
    async () => {
      recorded.push(recorder.record({ callId: firstCallId, facts: [answered] }));
      for (const callId of [...callIds, otherCallId]) {
        recorded.push(recorder.record({ callId, facts: [ended] }));
      }
      await waitFor('the end of the other call', async () => (await other.recipient()).state === 'done');
      expect((await held.recipient()).state).toBe('dialing');
    },
  );
  await Promise.all(recorded);
  await recorder.drain();
  const calls = await stack.db
    .selectFrom('calls')
    .select(['id', 'phase', 'answered_at'])
    .where('campaign_id', '=', held.campaignId)
    .execute();
  expect(calls.map(({ phase }) => phase)).toEqual(callIds.map(() => 'ended'));
  expect(calls.filter(({ answered_at: answeredAt }) => answeredAt !== null)).toMatchObject([
    { id: firstCallId },
  ]);
});

const found: LookUpResult = { kind: 'found', conversationId: null, progress: [], nextChangeAt: null };

/** Two campaigns of an organization each, whose calls are queued at their carrier and no longer allowed. */
async function twoForbidden(carrier: Partial<TelephonyProvider>) {
  const campaigns: Array<{ hand: ByHand; callId: string; organizationId: string }> = [];
  for (let n = 0; n < 2; n++) {
    const organization = await stack.organization();
    const hand = await byHand(stack, organization);
    const callId = await hand.dial();
    await hand.report([{ callId, accepted: { conversationId: callId, isQueued: true }, facts: [] }]);
    await hand.manager.setStatus(hand.campaignId, 'paused');
    campaigns.push({ hand, callId, organizationId: organization.id });
  }
  const sweeping = withCarrier(engineInStep(stack), {
    lookUp: () => Promise.resolve(found),
    withdraw: () => Promise.resolve({ kind: 'withdrawn' }),
    ...carrier,
  });
  const statesOf = async () => Promise.all(campaigns.map(async ({ hand }) => (await hand.recipient()).state));
  return { campaigns, sweeping, statesOf };
}

test.each([
  ['a campaign', lockCampaign],
  [
    'an organization',
    (tx: Tx, { organizationId }: { organizationId: string }) => lockOutGates(tx, organizationId),
  ],
] as const)('queued calls of others are withdrawn beside a change of %s', async (_, lock) => {
  const { campaigns, sweeping, statesOf } = await twoForbidden({});
  const [held] = campaigns;
  if (held === undefined) throw new Error('no campaign');
  const key = { organizationId: held.organizationId, campaignId: held.hand.campaignId };
  await whileHeld(
    stack.db,
    (tx) => lock(tx, key),
    async () => {
      await withdrawQueuedCalls(sweeping);
      expect(await statesOf()).toEqual(['dialing', 'pending']);
    },
  );
  await withdrawQueuedCalls(sweeping);
  expect(await statesOf()).toEqual(['pending', 'pending']);
});

test('the check of a queued call does not wait for a change of its organization', async () => {
  const { campaigns, sweeping, statesOf } = await twoForbidden({});
  const [held] = campaigns;
  if (held === undefined) throw new Error('no campaign');
  await whileHeld(
    stack.db,
    (tx) => lockOutGates(tx, held.organizationId),
    () => checkCalls(sweeping, [held.callId]),
  );
  expect(await statesOf()).toEqual(['dialing', 'dialing']);
  await withdrawQueuedCalls(sweeping);
  expect(await statesOf()).toEqual(['pending', 'pending']);
});

test('queued calls of others are withdrawn if the check of one fails', async () => {
  let failing: string | null = null;
  const { sweeping, statesOf } = await twoForbidden({
    lookUp({ callId }) {
      failing ??= callId;
      return callId === failing ? Promise.reject(new Error('broken')) : Promise.resolve(found);
    },
  });
  await expect(withdrawQueuedCalls(sweeping)).rejects.toMatchObject({ errors: [{ message: 'broken' }] });
  expect(new Set(await statesOf())).toEqual(new Set(['dialing', 'pending']));
});

const waitingForLocks = async () => {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(stack.db);
  return rows.length;
};

test('of the direct calls of an organization that is being changed, one waits with a connection', async () => {
  const { id, agentId, clients } = await stack.organization();
  const { deps } = engineInStep(stack);
  const request = async (to_phone: string) => (await clients.member.makeCall(agentId, { to_phone })).id ?? '';
  const [first, second] = await Promise.all(phoneNumbers(2, '77').map(request));
  const placed: Array<Promise<unknown>> = [];
  await whileHeld(
    stack.db,
    (tx) => lockOutGates(tx, id),
    async () => {
      placed.push(placeDirectCall(deps, first ?? ''));
      await waitFor('it to wait', async () => (await waitingForLocks()) === 1);
      expect(await placeDirectCall(deps, second ?? '')).toEqual({ kind: 'waiting', reason: 'held' });
    },
  );
  expect(await placed[0]).toMatchObject({ kind: 'sent' });
  expect(await placeDirectCall(deps, second ?? '')).toMatchObject({ kind: 'sent' });
});

test('of the attempts of a changed campaign that are undone, one waits with a connection', async () => {
  const organization = await stack.organization();
  const hand = await byHand(stack, organization, {}, { phone_numbers: phoneNumbers(4) });
  const calls = await dialNow(stack, hand.campaignId);
  const deferring = withCarrier(engineInStep(stack), {
    place: () => Promise.resolve({ kind: 'defer', retryAfterMs: 1_000, reason: 'rate_limited' }),
  });
  const sent: Array<Promise<unknown>> = [];
  await whileHeld(
    stack.db,
    (tx) => lockCampaign(tx, { organizationId: organization.id, campaignId: hand.campaignId }),
    async () => {
      sent.push(...calls.map((call) => sendCall(deferring, call)));
      await waitFor('the others', () => deferring.held.waitingOf(organization.id) === calls.length - 1);
      await waitFor('one to wait', async () => (await waitingForLocks()) === 1);
    },
  );
  expect(await Promise.all(sent)).toEqual(calls.map(() => 'deferred'));
  await stack.db.updateTable('providers').set({ closed_until: null }).execute();
});
