import { findWaiting } from '@outdial/engine';
import { expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useGatewayWorld, type GatewayWorld } from './gateway-world.ts';
import { json, takesEverything, type Reply, type Script } from './scripted-gateway.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `+1555700${String(1_000 + n)}`);

/** The detail that the API gives for a campaign that waits. */
async function waiting(world: GatewayWorld, campaignId: string) {
  const found = await findWaiting(world.db, {
    organizationId: world.organization.id,
    campaignIds: [campaignId],
  });
  return found.get(campaignId);
}

/** Ends every accepted call, as the gateway would. */
async function endAccepted(world: GatewayWorld): Promise<void> {
  const calls = await world.db
    .selectFrom('calls')
    .select('id')
    .where('phase', '!=', 'ended')
    .where('accepted_at', 'is not', null)
    .execute();
  for (const { id } of calls) {
    await world.send({ type: 'call.ended', call_id: id, data: { outcome: 'completed' } });
  }
}

/** Everybody has one accepted call, which is their first attempt. */
async function expectAllCalledOnce(world: GatewayWorld, count: number): Promise<void> {
  await waitFor('all accepted', async () => {
    await world.skipPause();
    const rows = await world.db.selectFrom('calls').select('accepted_at').execute();
    return rows.filter((row) => row.accepted_at !== null).length === count;
  });
  const calls = await world.db.selectFrom('calls').select(['phone_number', 'attempt']).execute();
  expect(calls.map(({ attempt }) => attempt)).toEqual(Array.from({ length: count }, () => 1));
  expect(new Set(calls.map((call) => call.phone_number)).size).toBe(count);
}

// answers.test.ts has the other statuses.
test('401 to everything uses no attempt, and dialing goes on once the gateway is corrected', async () => {
  const world = await useGatewayWorld(() => json(401, {}));
  world.log.expect(/its circuit is open/);
  const campaignId = await world.campaign(numbers(20), { max_concurrent_calls: 20 });
  await waitFor('waiting', async () => (await world.waitingFor(campaignId)) === 'provider');
  const rows = await world.resting();
  expect(rows.map((row) => row.attempts)).toEqual(Array.from({ length: 20 }, () => 0));
  expect(await world.organization.clients.viewer.readCampaign(campaignId)).toMatchObject({
    status: 'running',
  });
  const { failures_in_a_row, closed_reason } = await world.provider();
  expect(failures_in_a_row).toBeGreaterThanOrEqual(5);
  expect(closed_reason).toMatch(/^http_401: .*GATEWAY_SECRET/);
  const shown = await waitFor('the reason', async () => {
    const found = await waiting(world, campaignId);
    return found?.waitingFor === 'provider' ? found : null;
  });
  expect(shown.detail).toMatchObject({ provider: 'gateway', last_error: closed_reason });
  expect(shown.detail?.message).toContain('http_401');
  expect(shown.detail?.remedy.toLowerCase()).toContain(
    closed_reason?.split(': ')[1]?.slice(0, 20).toLowerCase(),
  );

  world.gateway.answer(takesEverything);
  await expectAllCalledOnce(world, 20);
  expect(await world.provider()).toMatchObject({ failures_in_a_row: 0, closed_reason: null });
});

test('a page instead of an answer opens the circuit at once, and its calls are looked up when the gateway is back', async () => {
  const page: Reply = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' };
  const world = await useGatewayWorld(() => page);
  world.log.expect(/its circuit is open/);
  const campaignId = await world.campaign(numbers(12), { max_concurrent_calls: 4 });
  await waitFor('open', async () => (await world.provider()).failures_in_a_row >= 5);
  // Only what was on its way before the first answer.
  expect(world.gateway.placed().length).toBeLessThanOrEqual(4);
  expect((await world.provider()).closed_reason).toMatch(/^http_200: .*sign-in/);
  await waitFor('waiting', async () => (await waiting(world, campaignId))?.waitingFor === 'provider');

  world.gateway.answer(takesEverything);
  await world.clock.advance(13_000);
  await waitFor('the first are accepted', async () => {
    const calls = await world.db.selectFrom('calls').select('accepted_at').execute();
    return calls.length === 4 && calls.every((call) => call.accepted_at !== null);
  });
  // Every line is in use, so they make room for the others.
  await endAccepted(world);
  await waitFor('the next are accepted', async () => {
    const calls = await world.db.selectFrom('calls').select('accepted_at').execute();
    return calls.length === 8 && calls.every((call) => call.accepted_at !== null);
  });
  const attempts = await world.db.selectFrom('calls').select('attempt').execute();
  expect(new Set(attempts.map((call) => call.attempt))).toEqual(new Set([1]));
});

/** Answers with this status to these numbers, and takes all others. */
function refuses(status: number, isRefused: (toPhone: string) => boolean): Script {
  return (request, seen) => {
    if (request.method !== 'POST') return takesEverything(request, seen);
    const { to_phone: toPhone } = JSON.parse(request.body) as { to_phone: string };
    return isRefused(toPhone) ? json(status, {}) : takesEverything(request, seen);
  };
}

test('an unknown code that five people in a row get is of the account, and four of them have used an attempt', async () => {
  const world = await useGatewayWorld(refuses(418, () => true));
  world.log.expect(/its circuit is open/);
  const campaignId = await world.campaign(numbers(20), { max_concurrent_calls: 20, call_back_attempts: 0 });
  await waitFor('open', async () => (await world.provider()).failures_in_a_row >= 5);
  expect((await world.provider()).closed_reason).toMatch(/^http_418: .*5 people in a row/);
  const rows = await world.resting();
  expect(rows.filter((row) => row.attempts > 0)).toHaveLength(4);
  expect(await world.organization.clients.viewer.readCampaign(campaignId)).toMatchObject({
    status: 'running',
  });
  // No phone number is kept for it.
  expect(JSON.stringify((await world.provider()).unknown_code)).not.toMatch(/\d{9}/);

  world.gateway.answer(takesEverything);
  await waitFor('the others are accepted', async () => {
    await world.skipPause();
    const calls = await world.db.selectFrom('calls').select('accepted_at').execute();
    return calls.filter((call) => call.accepted_at !== null).length === 16;
  });
  expect(await world.provider()).toMatchObject({ failures_in_a_row: 0, unknown_code: null });
});

test('an unknown code of single people is theirs', async () => {
  const isRefused = (toPhone: string) => Number(toPhone.at(-1)) % 2 === 1;
  const world = await useGatewayWorld(refuses(418, isRefused));
  await world.campaign(numbers(20), { max_concurrent_calls: 2, call_back_attempts: 0 });
  await waitFor('all ended', async () => {
    await endAccepted(world);
    const calls = await world.db.selectFrom('calls').select('phase').execute();
    return calls.filter((call) => call.phase === 'ended').length === 20;
  });
  const outcomes = await world.db.selectFrom('calls').select(['outcome', 'external_status']).execute();
  expect(outcomes.filter((call) => call.external_status === 'http_418')).toHaveLength(10);
  expect(outcomes.filter((call) => call.outcome === 'completed')).toHaveLength(10);
  expect((await world.provider()).closed_until).toBeNull();
});

test.each([
  ['whose campaign reached others', 3, 1],
  ['whose campaign has reached nobody', 1, 0],
])('a forbidden number that alone is left, and %s', async (_, people, attempts) => {
  const list = numbers(people);
  const forbidden = list.at(-1);
  const world = await useGatewayWorld(refuses(403, (toPhone) => toPhone === forbidden));
  world.log.expect(/its circuit is open/);
  const campaignId = await world.campaign(list, { max_concurrent_calls: 1, call_back_attempts: 0 });
  await waitFor('the others are called', async () => {
    await endAccepted(world);
    await world.skipPause();
    return (await world.provider()).failures_in_a_row >= 5;
  });
  const probe = async (afterMs: number) => {
    const { failures_in_a_row: before } = await world.provider();
    await world.clock.advance(afterMs);
    await waitFor('a probe', async () => (await world.provider()).failures_in_a_row !== before);
  };
  for (let n = 0; n < 10; n++) await probe(31_000);
  // The last probe is undone after its failure is counted.
  await waitFor(
    'the provider to be waited for',
    async () => (await world.waitingFor(campaignId)) === 'provider',
  );
  await probe(2 * 3_600_000);
  const rows = await world.resting();
  expect(rows.reduce((sum, row) => sum + row.attempts, 0)).toBe(people - 1 + attempts);
  const { failures_in_a_row } = await world.provider();
  expect(failures_in_a_row === 0).toBe(attempts === 1);
});

test('one number that the gateway forbids holds up no other', async () => {
  const [forbidden] = numbers(1);
  const world = await useGatewayWorld(refuses(403, (toPhone) => toPhone === forbidden));
  world.log.expect(/its circuit is open/);
  await world.campaign(numbers(6), { max_concurrent_calls: 1, call_back_attempts: 0 });
  const calls = await waitFor('all ended', async () => {
    await endAccepted(world);
    await world.skipPause();
    const rows = await world.db
      .selectFrom('calls')
      .select(['phase', 'phone_number', 'external_status'])
      .execute();
    return rows.filter((call) => call.phase === 'ended').length === 6 ? rows : null;
  });
  const statuses = calls.map((call) => [call.phone_number, call.external_status]);
  expect(statuses.filter(([, status]) => status !== null)).toEqual([[forbidden, 'http_403']]);
});
