import { expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { runOutdial } from '../cli/run-outdial.ts';
import { useGatewayWorld, type GatewayWorld } from './gateway-world.ts';
import { idOf, json, takesEverything, type Script } from './scripted-gateway.ts';

/** Answers look-ups of these calls with their end, and of all others with `answered`. */
function knows(ended: ReadonlySet<string>): Script {
  return (request, seen) => {
    if (request.method !== 'GET') return takesEverything(request, seen);
    return ended.has(idOf(request))
      ? json(200, { state: 'ended', data: { outcome: 'completed', duration: 20 } })
      : json(200, { state: 'answered', data: {} });
  };
}

const lookUps = (world: GatewayWorld, callId: string) =>
  world.gateway.seen.filter((one) => one.method === 'GET' && idOf(one) === callId).length;

/** Waits until the last look-up of a call is recorded, and returns in how many milliseconds the next one is due. Until then, that is within seconds. */
const untilRecorded = (world: GatewayWorld, callId: string): Promise<number> =>
  waitFor('the next look-up is planned', async () => {
    const { check_at: checkAt } = await world.row(callId);
    const dueMs = (checkAt?.getTime() ?? 0) - (await world.clock.now()).getTime();
    return dueMs > 10_000 ? dueMs : null;
  });

async function answeredCalls(world: GatewayWorld, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, n) => `+1555700${1_000 + n}`);
  await world.campaign(numbers, { max_concurrent_calls: count });
  await waitFor('placed', () => world.gateway.placed().length === count);
  const callIds = world.gateway.placed();
  for (const callId of callIds) {
    await world.send({ type: 'call.answered', call_id: callId });
    await world.until(callId, 'answered');
  }
  return callIds;
}

test('an end whose event is lost is found within two minutes, and frees its line', async () => {
  const ended = new Set<string>();
  const world = await useGatewayWorld(knows(ended), { maxCallSeconds: 1_800 });
  const callIds = await answeredCalls(world, 3);
  const [lost = '', ...others] = callIds;
  ended.add(lost);
  await world.clock.advance(61_000);
  const call = await world.until(lost, 'ended');
  expect(call).toMatchObject({ outcome: 'completed', duration_seconds: 20, line_held: false });
  // The others go on talking, and are asked less often the longer they talk.
  const dueMs: number[] = [];
  for (const callId of others) {
    await waitFor('asked', () => lookUps(world, callId) > 0);
    dueMs.push(await untilRecorded(world, callId));
    expect(await world.row(callId)).toMatchObject({ phase: 'answered', line_held: true });
  }
  const [later = ''] = others;
  for (let n = 1; n <= 3; n++) {
    const asked = lookUps(world, later);
    await world.clock.advance(111_000);
    await waitFor('asked again', () => lookUps(world, later) > asked);
    dueMs.push(await untilRecorded(world, later));
  }
  expect(dueMs.at(-1)).toBeGreaterThan(dueMs[0] ?? Infinity);
  ended.add(later);
  await world.clock.advance(111_000);
  await world.until(later, 'ended');
});

test('a hold looks up the calls in progress at once, as is needed after a restore', async () => {
  const ended = new Set<string>();
  const world = await useGatewayWorld(knows(ended), { maxCallSeconds: 1_800 });
  const callIds = await answeredCalls(world, 3);
  const [goesOn = '', ...over] = callIds;
  for (const callId of over) ended.add(callId);
  // As backups of earlier releases have it.
  await world.db
    .updateTable('calls')
    .set({ check_at: new Date((await world.clock.now()).getTime() + 1_800_000) })
    .execute();
  const held = await runOutdial(['campaign', 'hold'], { env: { DATABASE_URL: world.databaseUrl } });
  expect(held.status).toBe(0);
  expect(held.out).toContain('looks up now: 3');
  // A look-up waits until a send that began before it is over.
  await world.clock.advance(12_000);
  for (const callId of over) {
    expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'completed', line_held: false });
  }
  await waitFor('asked', () => lookUps(world, goesOn) > 0);
  expect(await world.row(goesOn)).toMatchObject({ phase: 'answered', line_held: true });
});

test('an address that knows no call ends no conversation while sends fail at it too', async () => {
  const world = await useGatewayWorld(knows(new Set()), { maxCallSeconds: 1_800 });
  world.log.expect(/its circuit is open/);
  const [callId = ''] = await answeredCalls(world, 1);
  world.gateway.answer(() => json(404, {}));
  await world.campaign(['+15557009999']);
  await waitFor('open', async () => (await world.provider()).failures_in_a_row >= 5);
  await world.clock.advance(61_000);
  await waitFor('asked', () => lookUps(world, callId) > 0);
  await untilRecorded(world, callId);
  expect(await world.row(callId)).toMatchObject({ phase: 'answered', line_held: true });
  // Where sends succeed, 404 says that the gateway has lost the call.
  world.gateway.answer((request, seen) =>
    request.method === 'POST' ? takesEverything(request, seen) : json(404, {}),
  );
  await waitFor('closed', async () => {
    await world.skipPause();
    return (await world.provider()).failures_in_a_row === 0;
  });
  await world.clock.advance(111_000);
  expect(await world.until(callId, 'ended')).toMatchObject({ external_status: 'lost_by_provider' });
});
