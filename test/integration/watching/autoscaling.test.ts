import { readFileSync } from 'node:fs';
import { foldCampaignCounts } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { phoneNumbers, runCampaign } from '../engine/campaign.ts';

const values = z
  .object({ autoscaling: z.object({ query: z.string() }) })
  .parse(parse(readFileSync(new URL('../../../ops/helm/values.yaml', import.meta.url), 'utf8')));

test('workers are scaled by the calls that running campaigns could have at once', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const organization = await stack.organization();
  const { manager } = organization.clients;
  /** Queries like KEDA: one row with one number. */
  async function calls(): Promise<number> {
    await foldCampaignCounts(stack.db, 100);
    const { rows } = await sql.raw<Record<string, unknown>>(values.autoscaling.query).execute(stack.db);
    expect(rows).toHaveLength(1);
    return Number(Object.values(rows[0] ?? {})[0]);
  }
  expect(await calls()).toBe(0);

  // A campaign without a config has ten lines.
  const fields = { name: 'Plain', agent_id: organization.agentId, phone_numbers: phoneNumbers(30) };
  const plain = await manager.createCampaign(fields);
  expect(await calls()).toBe(0);
  await manager.setStatus(plain.id, 'running');
  expect(await calls()).toBe(10);

  const wide = { max_concurrent_calls: 100 };
  await runCampaign(stack, organization, { phone_numbers: phoneNumbers(7, '00', '556') }, wide);
  expect(await calls()).toBe(17);

  // Closed until tomorrow, so there is nothing to dial.
  const later = { phone_numbers: phoneNumbers(50, '00', '557'), start_date: '2027-03-02' };
  await runCampaign(stack, organization, later, wide);
  expect(await calls()).toBe(17);

  await manager.setStatus(plain.id, 'paused');
  expect(await calls()).toBe(7);
});
