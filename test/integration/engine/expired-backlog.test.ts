import { claimDueRecipients, findExpiredClaims, inTransaction } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useStack } from '../../support/stack/use-stack.ts';
import { phoneNumbers, runCampaign } from './campaign.ts';
import { noProcesses } from './by-hand.ts';

const claimed = 3_000;
const batch = 100;

/** Autovacuum may run a minute late, or more on a busy machine. */
test('a batch of expired claims is found without reading the others, also by statistics from before the claims', async () => {
  const stack = await useStack(noProcesses);
  const { db, clock } = stack;
  const organization = await stack.organization();
  await sql`alter table campaign_recipients set (autovacuum_enabled = false)`.execute(db);
  const { id: campaignId } = await runCampaign(
    stack,
    organization,
    { phone_numbers: phoneNumbers(claimed) },
    { max_concurrent_calls: claimed },
  );
  await sql`analyze campaign_recipients`.execute(db);
  const now = await clock.now();
  const { rows: zones } = await sql<{ timezone: string }>`
    select distinct timezone from campaign_recipients`.execute(db);
  const claims = await inTransaction(db, async (tx) => {
    const { claims: all } = await claimDueRecipients(tx, {
      organizationId: organization.id,
      campaignId,
      provider: 'simulator',
      zones: zones.map((row) => row.timezone),
      now,
      limit: claimed,
      leaseExpiresAt: now,
      slots: null,
    });
    await sql`select 1`.execute(tx);
    return all;
  });
  expect(claims).toHaveLength(claimed);
  const rowsRead = await inTransaction(db, async (tx) => {
    const { rows: before } = await read(tx);
    expect(await findExpiredClaims(tx, await clock.now(), batch)).toHaveLength(batch);
    const { rows: after } = await read(tx);
    return Number(after[0]?.fetched) - Number(before[0]?.fetched);
  });
  expect(rowsRead).toBeLessThan(2 * batch);
});

function read(tx: Parameters<Parameters<typeof inTransaction>[1]>[0]) {
  // With a sort, Postgres would read all claims through another index.
  return sql<{ fetched: string }>`
    select idx_tup_fetch + seq_tup_read as fetched from pg_stat_xact_user_tables where relname = 'campaign_recipients'`.execute(
    tx,
  );
}
