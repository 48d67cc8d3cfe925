import { inTransaction, releaseLines } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';

const stack = await useFileStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
const later = new Date('2099-01-01T00:00:00Z');

/** Releases one line of a running campaign without a worker, and returns whether the campaign was woken. */
async function releaseOneLine(of: {
  waitingFor: string | null;
  linesInUse: number;
  isAllThatChanged: boolean;
  areCapped: boolean;
}) {
  const { clients, agentId, id: organizationId } = await stack.organization();
  const { id: campaignId } = await clients.manager.createCampaign({
    name: 'Has a line back',
    agent_id: agentId,
    phone_numbers: ['+15551230000'],
  });
  await clients.manager.setStatus(campaignId, 'running');
  const { linesInUse: count } = of;
  await sql`
    with o as (update organizations set lines_in_use = ${count} where id = ${organizationId}),
      p as (update providers set lines_in_use = ${count} where name = 'simulator')
    update campaign_runtime set lines_in_use = ${count}, waiting_for = ${of.waitingFor}, wake_at = ${later}
    where campaign_id = ${campaignId}`.execute(stack.db);
  const { isAllThatChanged, areCapped } = of;
  const line = { organizationId, campaignId, provider: 'simulator', count: 1, isAllThatChanged };
  const now = new Date();
  const { woken } = await inTransaction(stack.db, (tx) => releaseLines(tx, [line], now, { areCapped }));
  const { rows } = await sql<{ wake_at: Date; lines_in_use: number }>`
    select wake_at, lines_in_use from campaign_runtime where campaign_id = ${campaignId}`.execute(stack.db);
  expect(rows[0]?.lines_in_use).toBe(count - 1);
  const isWoken = (await woken).includes(campaignId);
  // The published job and the written row must agree, because a job may be lost.
  expect(rows[0]?.wake_at).toEqual(isWoken ? now : later);
  return isWoken;
}

describe.each([
  ['where nothing has a cap', false],
  ['where something has', true],
])('a line that comes back, %s,', (_, areCapped) => {
  const change = { linesInUse: 2, isAllThatChanged: true };
  const last = { ...change, linesInUse: 1 };

  test.each([
    ['campaign_line', change, true],
    ['organization_line', change, true],
    ['provider_line', change, true],
    [null, change, true],
    ['calls_per_second', change, false],
    ['window', change, false],
    ['retry', change, false],
    ['provider', change, false],
    ['calls_in_progress', change, false],
    // It may be finished.
    ['calls_in_progress', last, true],
    ['window', last, true],
    // A recipient is due again.
    ['calls_in_progress', { ...change, isAllThatChanged: false }, true],
  ])('of a campaign that waits for %s, with %j, wakes it: %s', async (waitingFor, of, isWoken) => {
    expect(await releaseOneLine({ waitingFor, ...of, areCapped })).toBe(isWoken);
  });
});
