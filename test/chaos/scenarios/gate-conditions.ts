import assert from 'node:assert/strict';
import { gateConditions } from '@outdial/db';
import { makeSubject, type GateCaller, type GateWorld } from '../../support/gates/gate-callers.ts';
import { tryGateCase } from '../../support/gates/gate-cases.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioWorld } from './world.ts';

function gateWorld(world: ScenarioWorld): GateWorld {
  return {
    db: world.db,
    organization: world.organization,
    provider: 'gateway',
    async due(numbers) {
      const id = await world.campaign({ numbers });
      world.jobs.take();
      return id;
    },
  };
}

/** Violates each condition separately, at one of the gates. */
function everyConditionOf(caller: GateCaller): Scenario {
  return {
    name: `each condition of a dial is violated before a ${caller}`,
    promise: 'no dial after no',
    sameAs: 'test/integration/engine/gate-conditions.test.ts',
    async run(world) {
      const gates = gateWorld(world);
      const open = await makeSubject(gates, caller);
      assert.equal(await open.pass(), 'passed');
      for (const { reason } of gateConditions) {
        const tried = await tryGateCase(gates, reason, caller);
        if (tried === null) continue;
        assert.deepEqual({ answer: tried.answer, gates: tried.gates }, { answer: reason, gates: 0 });
      }
    },
  };
}

export const conditionsOfFirstPlacement: Scenario = everyConditionOf('first placement');
export const conditionsOfRepeatedPlacement: Scenario = everyConditionOf('repeated placement');
export const conditionsOfDirectCall: Scenario = everyConditionOf('direct call');
export const conditionsOfRepeatedDirectCall: Scenario = everyConditionOf('repeated direct call');
export const conditionsOfQueuedCall: Scenario = everyConditionOf('queued call');
