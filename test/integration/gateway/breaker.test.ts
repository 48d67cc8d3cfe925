import { expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useGatewayWorld, type GatewayWorld } from './gateway-world.ts';
import { json, takesEverything, type Reply } from './scripted-gateway.ts';

const numbers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `+1555700${String(1_000 + from + n)}`);

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
  // No pause ends before the test says so.
  await world.clock.stop();
  await world.campaign(numbers(5));
  await waitFor('the circuit is open', async () => (await world.provider()).failures_in_a_row === 5);
  expect(world.gateway.placed()).toHaveLength(5);

  // The probe is not answered yet, so all other calls wait for it.
  let answer: (reply: Reply) => void = () => undefined;
  world.gateway.answer((request, seen) =>
    request.method === 'POST' ? new Promise((resolve) => (answer = resolve)) : takesEverything(request, seen),
  );
  const campaignId = await world.campaign(numbers(3, 100));
  await world.clock.advance(1_000);
  await waitFor('a probe', () => world.gateway.placed().length === 6);
  const refused = world.gateRefusals.get('provider') ?? 0;
  const direct = await world.call('+15557009999');
  await waitFor('refusals', () => (world.gateRefusals.get('provider') ?? 0) > refused + 1);
  expect(world.gateway.placed()).toHaveLength(6);

  // The probe failed, so the pause is twice as long as the first.
  world.gateway.answer(takesEverything);
  answer(json(502, {}));
  await waitFor('its failure', async () => (await world.provider()).failures_in_a_row === 6);
  const { closed_until } = await world.provider();
  expect(Number(closed_until) - Number(await world.clock.now())).toBe(2_000);

  // Calls refused because of the probe are due at the end of that pause, not when an unanswered probe would be replaced.
  const due = await world.db
    .selectFrom('campaign_recipients')
    .select('next_attempt_at')
    .where('state', '=', 'pending')
    .execute();
  expect(due.filter(({ next_attempt_at }) => (next_attempt_at ?? 0) > (closed_until ?? 0))).toEqual([]);

  // The next probe is answered, and dialing continues.
  await world.clock.advance(2_000);
  // Of those that try to be the probe at the same instant, all but one are due again a second later.
  const later = () => world.clock.advance(100);
  await waitFor('all accepted', async () => {
    await later();
    return (await accepted(world, campaignId)).length >= 2;
  });
  await waitFor('the direct call', async () => {
    await later();
    return (await world.row(direct)).accepted_at;
  });
  expect(await world.provider()).toMatchObject({ failures_in_a_row: 0, closed_until: null });
});

test('stays closed to all calls while its probe is asked to wait', async () => {
  const world = await useGatewayWorld(() => json(500, {}));
  world.log.expect(/its circuit is open/);
  await world.clock.stop();
  await world.campaign(numbers(5));
  await waitFor('the circuit is open', async () => (await world.provider()).failures_in_a_row === 5);
  let answer: (reply: Reply) => void = () => undefined;
  world.gateway.answer(() => new Promise((resolve) => (answer = resolve)));
  await world.campaign(numbers(1, 100));
  await world.clock.advance(1_000);
  await waitFor('a probe', () => world.gateway.placed().length === 6);
  await world.db.transaction().execute(async (tx) => {
    // The attempt cannot be undone before the end of this transaction.
    await tx.selectFrom('calls').select('id').where('phase', '=', 'placing').forUpdate().execute();
    answer(json(503, {}, { 'retry-after': '60' }));
    await waitFor('the answer', async () => (await world.provider()).failures_in_a_row === 0);
    const { closed_until } = await world.provider();
    expect(Number(closed_until) - Number(await world.clock.now())).toBe(60_000);
  });
  await waitFor('the attempt is undone', async () => {
    const calls = await world.db.selectFrom('calls').select('id').where('phase', '=', 'placing').execute();
    return calls.length === 5;
  });
});

test.each([
  ['is accepted', json(201, { conversation_id: 'c1' }), 0],
  ['is asked to wait for less', json(503, {}, { 'retry-after': '5' }), 0],
  ['fails', json(500, {}), 6],
])(
  'stays closed for as long as an earlier call was asked to wait, though its probe %s',
  async (_name, reply, failures) => {
    const answers: Array<(reply: Reply) => void> = [];
    const holds = () => new Promise<Reply>((resolve) => answers.push(resolve));
    const world = await useGatewayWorld((request, seen) =>
      request.method === 'POST' && seen.length === 1 ? holds() : json(500, {}),
    );
    world.log.expect(/its circuit is open/);
    await world.clock.stop();
    await world.campaign(numbers(6), { max_concurrent_calls: 6 });
    await waitFor('the circuit is open', async () => (await world.provider()).failures_in_a_row === 5);
    world.gateway.answer((request, seen) =>
      request.method === 'POST' ? holds() : takesEverything(request, seen),
    );
    await world.campaign(numbers(1, 100));
    await world.clock.advance(1_000);
    await waitFor('a probe', () => answers.length === 2);
    const asked = {
      closed_reason: 'http_429',
      closed_until: new Date(Number(await world.clock.now()) + 120_000),
    };
    answers[0]?.(json(429, {}, { 'retry-after': '120' }));
    await waitFor('the wait', async () => (await world.provider()).closed_reason === 'http_429');
    expect(await world.provider()).toMatchObject(asked);
    answers[1]?.(reply);
    await waitFor(
      'the result of the probe',
      async () => (await world.provider()).failures_in_a_row === failures,
    );
    expect(await world.provider()).toMatchObject(asked);
  },
);

test('only counts consecutive failures, and no refusal by a working gateway', async () => {
  let n = 0;
  const world = await useGatewayWorld((request, seen) => {
    if (request.method !== 'POST') return takesEverything(request, seen);
    n += 1;
    return n <= 4 ? json(500, {}) : n % 2 === 0 ? json(422, {}) : json(201, {});
  });
  // The people whose calls failed are not due again.
  await world.clock.stop();
  await world.campaign(numbers(4), { max_concurrent_calls: 4 });
  await waitFor('four failures', async () => (await world.provider()).failures_in_a_row === 4);
  const call = await world.until(await world.call('+15557009996'), 'placing');
  await waitFor('answered', async () => (await world.provider()).failures_in_a_row === 0);
  expect(call.id).toBeTruthy();
  await world.until(await world.call('+15557009998'), 'ended');
  expect((await world.provider()).closed_until).toBeNull();
});
