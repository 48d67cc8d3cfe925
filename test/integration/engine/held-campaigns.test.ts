import { inTransaction, lockCampaign, type Tx } from '@outdial/db';
import { createProgressRecorder } from '@outdial/engine';
import { expect, test } from 'vitest';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { phoneNumbers } from './campaign.ts';
import { byHand, noProcesses } from './by-hand.ts';

/** What goes on beside a long change of one campaign. */

const stack = await useFileStack(noProcesses);

/** Runs `meanwhile` while a transaction holds these locks. */
async function whileHeld(lock: (tx: Tx) => Promise<unknown>, meanwhile: () => Promise<void>): Promise<void> {
  const released = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = inTransaction(stack.db, async (tx) => {
    await lock(tx);
    // Waits for what was sent with it.
    await tx.selectFrom('campaigns').select('id').limit(1).execute();
    held.resolve();
    await released.promise;
  });
  await Promise.race([held.promise, holding]);
  try {
    await meanwhile();
  } finally {
    released.resolve();
    await holding;
  }
}

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
