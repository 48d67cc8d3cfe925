import {
  inTransaction,
  lockCallingPolicy,
  lockQuota,
  shareSuppressions,
  updateOrganization,
} from '@outdial/db';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { noProcesses, overlapping, whileHeld } from './by-hand.ts';
import { phoneNumbers, runCampaign } from './campaign.ts';

test('calls of an organization with a daily quota are dialed while a campaign with many numbers is created', async () => {
  const stack = await useStack({ backend: anyBackend() });
  const organization = await stack.organization({ max_calls_per_day: 10 });
  // Creating a campaign holds this lock until all its numbers are inserted.
  await whileHeld(
    stack.db,
    (tx) => lockCallingPolicy(tx, organization.id),
    async () => {
      const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(2) });
      expect(await campaign.dialed(2)).toHaveLength(2);
    },
  );
});

test('a change of the calling policy waits for a gate that waits for the quota, and neither deadlocks', async () => {
  const stack = await useStack(noProcesses);
  const { id } = await stack.organization({ max_calls_per_day: 10 });
  const now = await stack.clock.now();
  // The victim of a deadlock is run again.
  const runs = { gate: 0, change: 0 };
  await overlapping(
    stack.db,
    (tx) => {
      runs.gate += 1;
      return shareSuppressions(tx, id);
    },
    () =>
      inTransaction(stack.db, (tx) => {
        runs.change += 1;
        return updateOrganization(tx, id, { calling_policy: 'strict' }, now);
      }),
    (tx) => lockQuota(tx, id),
  );
  expect(runs).toEqual({ gate: 1, change: 1 });
});
