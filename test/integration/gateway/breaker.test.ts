import { expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useGatewayWorld, type GatewayWorld } from './gateway-world.ts';
import { json, takesEverything, type Reply } from './scripted-gateway.ts';

const numbers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `+1555700${String(1_000 + from + n)}`);

async function untilOpen(world: GatewayWorld, failures = 5): Promise<void> {
  await waitFor('the circuit is open', async () => (await world.provider()).failures_in_a_row >= failures);
}

/** The calls of a campaign that the gateway accepted, and the attempts that its recipients used. */
async function accepted(world: GatewayWorld, campaignId: string): Promise<number[]> {
  const rows = await world.db
    .selectFrom('calls')
    .select('attempt')
    .where('campaign_id', '=', campaignId)
    .where('accepted_at', 'is not', null)
    .execute();
  return rows.map((row) => row.attempt);
}

test('probes a gateway that fails with one call at a time, and sends nothing else until one was answered', async () => {
  const world = await useGatewayWorld(() => json(500, {}));
  world.log.expect(/its circuit is open/);
  await world.campaign(numbers(5));
  await untilOpen(world);
  expect(world.gateway.placed()).toHaveLength(5);

  // The probe is not answered yet, so all other calls wait for it.
  let answer: (reply: Reply) => void = () => undefined;
  world.gateway.answer((request, seen) =>
    request.method === 'POST' ? new Promise((resolve) => (answer = resolve)) : takesEverything(request, seen),
  );
  const campaignId = await world.campaign(numbers(3, 100));
  await waitFor('a probe', () => world.gateway.placed().length === 6);
  const refused = world.gateRefusals.get('provider') ?? 0;
  const direct = await world.call('+15557009999');
  await waitFor('refusals', () => (world.gateRefusals.get('provider') ?? 0) > refused + 1);
  expect(world.gateway.placed()).toHaveLength(6);

  // The probe failed, so the pause is twice as long as the first.
  world.gateway.answer(takesEverything);
  const before = await world.clock.now();
  answer(json(502, {}));
  await untilOpen(world, 6);
  const { closed_until } = await world.provider();
  expect((closed_until?.getTime() ?? 0) - before.getTime()).toBeGreaterThan(1_900);

  // Calls refused because of the probe are due at the end of that pause, not when an unanswered probe would be replaced.
  const due = await world.db
    .selectFrom('campaign_recipients')
    .select('next_attempt_at')
    .where('state', '=', 'pending')
    .execute();
  expect(due.filter(({ next_attempt_at }) => (next_attempt_at ?? 0) > (closed_until ?? 0))).toEqual([]);

  // The next probe is answered, and dialing continues.
  await waitFor('all accepted', async () => (await accepted(world, campaignId)).length === 2);
  await waitFor('the direct call', async () => (await world.row(direct)).accepted_at);
  expect(await world.provider()).toMatchObject({ failures_in_a_row: 0, closed_until: null });
});

test('only counts consecutive failures, and no refusal by a working gateway', async () => {
  let n = 0;
  const world = await useGatewayWorld((request, seen) => {
    if (request.method !== 'POST') return takesEverything(request, seen);
    n += 1;
    return n <= 4 ? json(500, {}) : n % 2 === 0 ? json(422, {}) : json(201, {});
  });
  await world.campaign(numbers(4), { max_concurrent_calls: 4 });
  await waitFor('four failures', async () => (await world.provider()).failures_in_a_row === 4);
  const call = await world.until(await world.call('+15557009996'), 'placing');
  await waitFor('answered', async () => (await world.provider()).failures_in_a_row === 0);
  expect(call.id).toBeTruthy();
  await world.until(await world.call('+15557009998'), 'ended');
  expect((await world.provider()).closed_until).toBeNull();
});
