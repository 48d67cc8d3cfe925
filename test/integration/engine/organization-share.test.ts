import type { Db } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { recordedDials } from '../../support/stack/dials.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { phoneNumbers, runCampaign } from './campaign.ts';

/** The smallest acceptable part of an organization's fair share while it has work. The fair share of two organizations is half the lines. */
const atLeast = 0.9 * 0.5;

/** Long compared with the time from a claim to its gate on a busy machine: the claim reserves the line, but this test counts from the gate. */
const talkMs = 1_500;

/** The campaign's share of the line time in use, from its first dial to its last. */
async function shareOfLines(db: Db, campaignId: string): Promise<number> {
  const { rows } = await sql<{ share: number }>`
    with span as (select min(gated_at) as began, max(gated_at) as ended from calls where campaign_id = ${campaignId}),
    held as (
      select campaign_id is not distinct from ${campaignId}::uuid as is_own,
        extract(epoch from least(coalesce(ended_at, ended), ended) - greatest(gated_at, began)) as seconds
      from (select c.campaign_id, c.gated_at, c.ended_at, span.began, span.ended from calls c cross join span
            where c.gated_at < span.ended and coalesce(c.ended_at, span.ended) > span.began) c)
    select (sum(seconds) filter (where is_own) / sum(seconds))::float8 as share from held`.execute(db);
  return rows[0]?.share ?? 0;
}

async function twoAtFourLines() {
  const stack = await useStack({ backend: 'postgres', simulator: { talkMs } });
  await stack.setProvider('simulator', { maxLines: 4 });
  return { stack, greedy: await stack.organization(), modest: await stack.organization() };
}

test('a priority only counts within its organization, and does not change shares of a provider', async () => {
  const { stack, greedy, modest } = await twoAtFourLines();
  const flood = await runCampaign(
    stack,
    greedy,
    { phone_numbers: phoneNumbers(40) },
    { max_concurrent_calls: 50, priority: 1_000_000 },
  );
  await flood.dialed(4);
  const theirs = await runCampaign(
    stack,
    modest,
    { phone_numbers: phoneNumbers(8) },
    { max_concurrent_calls: 10 },
  );
  await theirs.finished();
  expect(await shareOfLines(stack.db, theirs.id)).toBeGreaterThanOrEqual(atLeast);
});

test('any number of direct calls leaves others their share', async () => {
  const { stack, greedy, modest } = await twoAtFourLines();
  await Promise.all(
    phoneNumbers(30).map((to_phone) => greedy.clients.manager.makeCall(greedy.agentId, { to_phone })),
  );
  await waitFor('the flood to be dialed', async () => (await recordedDials(stack.db)).length >= 4);
  const theirs = await runCampaign(
    stack,
    modest,
    { phone_numbers: phoneNumbers(8) },
    { max_concurrent_calls: 10 },
  );
  await theirs.finished();
  expect(await shareOfLines(stack.db, theirs.id)).toBeGreaterThanOrEqual(atLeast);
});
