import { setImmediate } from 'node:timers/promises';
import { connect } from '@outdial/db';
import { createDialer, dialDue, inGate, placeDirectCall, type Dialed } from '@outdial/engine';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { engineInStep, withCarrier } from '../../compliance/campaign/engine-in-step.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { recordedDials } from '../../support/stack/dials.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { overlapping } from './by-hand.ts';
import { dialDeps, phoneNumbers, runCampaign } from './campaign.ts';

const startAt = '2027-03-01T15:00:00Z';

/** Running campaigns of ten people each, of which no worker knows. */
async function threeCampaigns(
  settings: Parameters<Stack['organization']>[0] = {},
): Promise<{ stack: Stack; organization: TestOrganization; ids: string[] }> {
  const stack = await useStack({ backend: 'postgres', workers: 0, schedulers: 0, startAt });
  const organization = await stack.organization(settings);
  const ids: string[] = [];
  for (const areaCode of ['555', '556', '557']) {
    const { id } = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(10, '00', areaCode) },
      { max_concurrent_calls: 10 },
    );
    ids.push(id);
  }
  return { stack, organization, ids };
}

type Step = Dialed['steps'] extends Map<string, infer Of> ? Of : never;

async function dialTogether(stack: Stack, ids: string[], places = 100): Promise<Step[]> {
  const { steps } = await inGate(stack.db, (tx) =>
    dialDue(tx, dialDeps(stack), ids, () => places, { waits: false }),
  );
  return ids.map((id) => steps.get(id) ?? { kind: 'idle' });
}

const callsOf = (steps: readonly Step[]) =>
  steps.map((step) => (step.kind === 'moved' ? step.calls.length : step.kind));

test('campaigns that are dialed together share the places to send, the lines of a provider and its pace', async () => {
  const { stack, ids } = await threeCampaigns();
  expect(callsOf(await dialTogether(stack, ids, 3))).toEqual([1, 1, 1]);
  await stack.setProvider('simulator', { maxLines: 9 });
  expect(callsOf(await dialTogether(stack, ids))).toEqual([2, 2, 2]);
  await stack.setProvider('simulator', { maxLines: null, callsPerSecond: 2 });
  const paced = callsOf(await dialTogether(stack, ids));
  expect(paced.reduce<number>((sum, calls) => sum + Number(calls), 0)).toBeLessThanOrEqual(2);
  expect(paced).toContain(1);
});

test('campaigns that are dialed together never exceed the quota of their organization', async () => {
  const { stack, ids } = await threeCampaigns({ max_calls_per_day: 7 });
  await dialTogether(stack, ids);
  await dialTogether(stack, ids);
  expect(await recordedDials(stack.db)).toHaveLength(7);
});

test('a person in two campaigns that are dialed together is called once', async () => {
  const stack = await useStack({ backend: 'postgres', workers: 0, schedulers: 0, startAt });
  const organization = await stack.organization();
  const people = { phone_numbers: phoneNumbers(5) };
  const ids = [
    (await runCampaign(stack, organization, people)).id,
    (await runCampaign(stack, organization, people)).id,
  ];
  const [one, other] = callsOf(await dialTogether(stack, ids));
  expect(Number(one) + Number(other)).toBe(5);
});

test('a worker that is stopped while all its places are taken finishes its sends, and leaves the campaigns that wait', async () => {
  const { stack, ids } = await threeCampaigns();
  const engine = engineInStep(stack);
  // In a later turn of the event loop, as every answer of a carrier.
  const place = () => setImmediate({ kind: 'accepted' as const, conversationId: null });
  const dialer = createDialer(withCarrier(engine, { place }), { placesOfProvider: 1 });
  const closing = Promise.withResolvers<void>();
  await overlapping(
    stack.db,
    (tx) => sql`select from campaign_runtime for update`.execute(tx),
    () => Promise.all(ids.map((id) => dialer.advance(id))),
    async () => closing.resolve(dialer.close()),
  );
  await closing.promise;
  await engine.deps.progress.drain();
  const calls = await stack.db.selectFrom('calls').select('accepted_at').execute();
  expect(calls.map(({ accepted_at: acceptedAt }) => acceptedAt !== null)).toEqual([true]);
});

test('the first dial of a campaign waits for no connection while direct calls wait for the row of its provider', async () => {
  const { stack, organization, ids } = await threeCampaigns();
  await stack.setProvider('simulator', { maxLines: 100 });
  const { deps } = engineInStep(stack);
  const { manager } = organization.clients;
  const direct: string[] = [];
  for (const to_phone of phoneNumbers(10, '00', '558')) {
    direct.push((await manager.makeCall(organization.agentId, { to_phone })).id ?? '');
  }
  const ofTest = connect({ databaseUrl: stack.databaseUrl, poolMax: 2, applicationName: 'beside' });
  onTestFinished(() => ofTest.destroy());
  const untilWaiting = (count: number) =>
    waitFor(`${count} that wait`, async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(ofTest);
      return rows.length === count;
    });
  const held = await ofTest.startTransaction().execute();
  await sql`select from providers for update`.execute(held);
  const dialing = dialTogether(stack, ids);
  await untilWaiting(1);
  // More than there are connections.
  const placing = Promise.all(direct.map((callId) => placeDirectCall(deps, callId)));
  await untilWaiting(6);
  await held.rollback().execute();
  expect(callsOf(await dialing)).toEqual([10, 10, 10]);
  await placing;
  await deps.progress.drain();
});
