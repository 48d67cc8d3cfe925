import type { ForecastAnswer } from '@outdial/contracts';
import {
  addNumberQueries,
  addSuppressions,
  inTransaction,
  suppressEverywhere,
  updateOrganization,
} from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { campaignByHand, noProcesses } from '../engine/by-hand.ts';
import { phoneNumbers } from '../engine/campaign.ts';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';

const startAt = '2027-03-02T12:00:00Z';
const numbers = phoneNumbers(40);

const stack = await useFileStack(noProcesses);
// Two forecasts of a test are of one instant.
await stack.clock.stop();

async function world() {
  const hand = await campaignByHand(
    { call_back_attempts: 2, retry_delay_seconds: 3600, max_concurrent_calls: 5 },
    { phone_numbers: numbers },
    { startAt, on: stack },
  );
  const { organization_id: organizationId } = await hand.recipient();
  // Data of another organization must not affect a forecast.
  await hand.stack.organization();
  const forecast = (body: object = {}): Promise<ForecastAnswer> =>
    hand.manager.forecast(hand.campaignId, body);
  return { ...hand, organizationId, db: hand.stack.db, forecast };
}

test('a forecast says who is skipped and why, and rests on defaults until the organization has called', async () => {
  const { db, organizationId, forecast } = await world();
  const [listed = '', everywhere = ''] = numbers;
  await addSuppressions(db, { organizationId, suppressions: [{ phoneNumber: listed, reason: null }] });
  await inTransaction(db, (tx) => suppressEverywhere(tx, [{ phoneNumber: everywhere, reason: null }]));
  const made = await forecast();
  expect(made).toMatchObject({
    people: 40,
    skipped: [{ reason: 'suppressed', rules: [], count: 2 }],
    days: [{ date: '2027-03-02', zone: 'America/New_York', people: 38 }],
    assumptions: { rates_from: 'defaults', lines: 5 },
  });
  expect(made.end.p50).not.toBeNull();
  const again = await forecast();
  expect({ ...again, as_of: null }).toMatchObject({
    people: made.people,
    dials: made.dials,
    days: made.days,
  });
  await db.deleteFrom('installation_suppressions').execute();
});

test('a forecast leaves out numbers without a recent query that says no, as the gate does', async () => {
  const { db, campaignId, manager, organizationId, forecast } = await world();
  const [queried = ''] = numbers;
  const queried_at = await stack.clock.now();
  await inTransaction(db, (tx) =>
    addNumberQueries(tx, {
      organizationId,
      createdBy: null,
      queries: [{ phone_number: queried, answer: 'no', queried_at, since: null, source: 'a registry' }],
    }),
  );
  await manager.setStatus(campaignId, 'paused');
  await manager.setConfig(campaignId, { reassigned_query_days: 30 });
  // The others wait until somebody imports queries.
  expect(await forecast()).toMatchObject({
    people: 40,
    skipped: [{ reason: 'number_unchecked', rules: [], count: 39 }],
    days: [{ date: '2027-03-02', people: 1 }],
    end: { p10: null, p50: null, p90: null },
  });
  await manager.updateCampaign(campaignId, { end_date: '2027-03-08T12:00:00Z' });
  expect((await forecast()).end.p50).toBe('2027-03-08T12:00:00.000Z');
});

test('a forecast names the calling hours of people whom a campaign without an end can never call', async () => {
  const organization = await stack.organization();
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) =>
    updateOrganization(tx, organization.id, { calling_policy: 'standard' }, now),
  );
  const { manager } = organization.clients;
  const hours = { start_time: '22:00', end_time: '23:00' };
  const fields = { name: 'Late', agent_id: organization.agentId, phone_numbers: ['+13055550100'], ...hours };
  const forecastOf = async (over: object) => {
    const { skipped, end } = await manager.forecast(
      (await manager.createCampaign({ ...fields, ...over })).id,
    );
    return { skipped, end: end.p50 };
  };
  expect(await forecastOf({})).toEqual({
    skipped: [{ reason: 'no_calling_hours', rules: [], count: 1 }],
    end: null,
  });
  expect(await forecastOf({ end_date: '2027-03-08T12:00:00Z' })).toEqual({
    skipped: [{ reason: 'campaign_over', rules: [], count: 1 }],
    end: '2027-03-08T12:00:00.000Z',
  });
});

test("a forecast respects caller ids' calls of the last 24 hours, and has no end without a usable one", async () => {
  const { db, organizationId, forecast } = await world();
  const id = await addConfirmedCallerId(db, organizationId, { calls_per_day: 12 });
  await sql`
    insert into caller_id_uses (call_id, organization_id, caller_id, used_at)
    select new_id(), ${organizationId}, ${id}, engine_now() - interval '20 hours'
    from generate_series(1, 7)`.execute(db);
  const made = await forecast();
  expect(made.bottleneck?.limit).toBe('caller_id');
  expect(made.days[0]).toMatchObject({ date: '2027-03-02', people: 12 });
  expect(Date.parse(made.end.p10 ?? '')).toBeGreaterThan(Date.parse(startAt) + 3 * 86_400_000);
  await sql`update caller_ids set state = 'retired' where id = ${id}`.execute(db);
  expect((await forecast()).end).toEqual({ p10: null, p50: null, p90: null });
});

test('a forecast of a running campaign starts from its current state, at the rates of the organization’s own calls', async () => {
  const hand = await world();
  const { db, dial, forecast } = hand;
  const [first = '', second = ''] = numbers;
  await hand.end(await dial(first), 'completed');
  await hand.end(await dial(second), 'busy');
  // The organization's earlier calls: all were busy.
  await sql`
    insert into calls (id, organization_id, agent_id, provider, phase, phone_number, prompt_id, created_by, created_at,
      gated_at, ended_at, outcome)
    select new_id(), organization_id, agent_id, provider, 'ended', '+1555300' || lpad(n::text, 4, '0'), prompt_id, created_by,
      created_at, gated_at, gated_at + interval '4 seconds', 'busy'
    from (select * from calls limit 1) one cross join generate_series(1, 5000) n`.execute(db);
  // Inbound calls say nothing about the outcome of outbound ones.
  await sql`
    insert into calls (id, organization_id, agent_id, provider, kind, phase, phone_number, prompt_id, created_at, gated_at, ended_at, outcome)
    select new_id(), organization_id, agent_id, provider, 'phone_inbound', 'ended', '+15553009999', prompt_id, created_at, gated_at,
      gated_at + interval '4 seconds', 'completed'
    from (select * from calls limit 1) one cross join generate_series(1, 10)`.execute(db);
  const made = await forecast();
  // Inserted calls have no events, which the check of the outbox would report.
  await sql`delete from calls where campaign_id is null`.execute(db);
  expect(made.people).toBe(39);
  expect(made.assumptions).toMatchObject({ rates_from: 'organization', calls_looked_at: 5002 });
  // One person was called once already: 38 people three times, and one twice.
  expect(made.dials).toBeGreaterThan(110);
  expect(made.dials).toBeLessThanOrEqual(38 * 3 + 2);
  expect(made.bottleneck?.limit).toBe('retry_delay');
});
