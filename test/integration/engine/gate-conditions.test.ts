import { gateConditions } from '@outdial/db';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { gateCallers, makeSubject, type GateWorld } from '../../support/gates/gate-callers.ts';
import { gateCases, tryGateCase } from '../../support/gates/gate-cases.ts';
import { anyBackend } from '../../support/queues.ts';
import { startStack } from '../../support/stack/start-stack.ts';
import { runCampaign } from './campaign.ts';

let world: GateWorld;

beforeAll(async () => {
  const stack = await startStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const organization = await stack.organization();
  world = {
    db: stack.db,
    organization,
    provider: 'simulator',
    due: async (numbers) => (await runCampaign(stack, organization, { phone_numbers: numbers })).id,
  };
  return () => stack.close();
});

describe.each(gateCallers)('the gate of a %s', (caller) => {
  test('opens if all conditions hold', async () => {
    const subject = await makeSubject(world, caller);
    expect(await subject.pass()).toBe('passed');
  });

  const concerning = gateConditions.filter(({ reason }) => gateCases[reason][caller] !== null);
  test.each(concerning)('refuses with $reason', async ({ reason }) => {
    expect(await tryGateCase(world, reason, caller)).toMatchObject({ answer: reason, gates: 0 });
  });
});

test.each(gateConditions)('$reason applies to the calls that it can refuse', ({ reason, appliesIf }) => {
  const cases = gateCases[reason];
  expect({ direct: appliesIf !== 'isOfCampaign', ofCampaign: appliesIf !== 'isDirect' }).toEqual({
    direct: cases['direct call'] !== null,
    ofCampaign: cases['repeated placement'] !== null || cases['first placement'] !== null,
  });
});

test('a call is not placed again from a caller id that was removed since', async () => {
  const subject = await makeSubject(world, 'repeated placement');
  await sql`update calls set caller_id = new_id() where id = ${subject.callId}`.execute(world.db);
  expect(await subject.pass()).toBe('no_caller_id');
});

/** What an explanation reads for itself, or assumes for its gate: room in the pace, and a caller id. */
const broughtAlong = ['calls_per_second', 'no_caller_id'];

describe('an explanation', () => {
  const explained = gateConditions.filter(
    ({ reason }) => gateCases[reason]['first placement'] !== null && !broughtAlong.includes(reason),
  );
  test.each(explained)('explains the refusal: $reason', async ({ reason }) => {
    expect(await tryGateCase(world, reason, 'first placement')).toMatchObject({ explained: reason });
  });

  test('finds no objection to a recipient who may be dialed', async () => {
    const subject = await makeSubject(world, 'first placement');
    expect(await subject.explain?.()).toBeNull();
  });
});
