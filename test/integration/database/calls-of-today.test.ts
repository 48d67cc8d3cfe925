import { engineNow, inTransaction, readCallsLeft, updateOrganization } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { rowsRead } from '../../support/rows-read.ts';
import { apiWorld } from '../api/api-world.ts';

test('a quota of calls a day is counted from the calls of today, however many there were before', async () => {
  const { db, organization } = await apiWorld();
  const acme = await organization();
  const agentId = await acme.agent();
  await sql`
    insert into calls (id, organization_id, agent_id, provider, phase, outcome, phone_number, prompt_id, created_by, created_at, gated_at, ended_at)
    select new_id(), p.organization_id, p.agent_id, 'simulator', 'ended', 'completed', '+4930123456', p.id, u.id, at, at, at
    from generate_series(1, 5000) as n
    cross join lateral (select engine_now() - interval '2 days' + n * interval '1 second' as at) t
    cross join agent_prompts p
    cross join lateral (select id from users where organization_id = p.organization_id limit 1) u
    where p.agent_id = ${agentId}`.execute(db);
  await sql`analyze calls`.execute(db);
  const now = await engineNow(db);
  await inTransaction(db, (tx) => updateOrganization(tx, acme.id, { maxCallsPerDay: 10 }, now));

  const { result, read } = await inTransaction(db, (tx) =>
    rowsRead(tx, 'calls', () => readCallsLeft(tx, acme.id)),
  );

  expect(result.left).toBe(10);
  expect(read).toBe(0);
});
