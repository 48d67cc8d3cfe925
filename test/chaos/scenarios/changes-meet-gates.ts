import assert from 'node:assert/strict';
import { checkCallJob } from '@outdial/contracts';
import {
  addRuleVersion,
  engineNow,
  lockCampaign,
  updateOrganization,
  writeCampaignConfig,
  type Tx,
} from '@outdial/db';
import { firstPost } from '../gateway/behaviour.ts';
import { overlapping } from './overlapping.ts';
import type { Scenario } from './scenario.ts';
import { firstNumber, type ScenarioWorld } from './world.ts';

/** Gates of calls that have a row, which wait for an open change, and then decide by it. */

const importUnusableRules = (tx: Tx) =>
  addRuleVersion(tx, { version: 'acme-1', pins: { XX: 99 }, rules: [] });

/** A direct call whose gate waits for an open change, and sees it then. */
function changeMeetsDirectGate(
  name: string,
  toPhone: string,
  change: (world: ScenarioWorld, tx: Tx) => Promise<unknown>,
): Scenario {
  return {
    name,
    promise: 'no dial after no',
    async run(world) {
      const { agentId, clients } = world.organization;
      // The first call writes the grounds, after which its gate begins again.
      for (const to_phone of [firstNumber, toPhone]) await clients.member.makeCall(agentId, { to_phone });
      const [first, job] = world.jobs.take('place-call');
      assert.ok(first && job);
      await world.engine.run(first);
      await overlapping(
        world,
        (tx) => change(world, tx),
        () => world.engine.run(job),
      );
      assert.equal(world.gateway.calls.size, 1, 'a gate decided by what it read before its locks');
    },
  };
}

export const limitsMeetDirectGate = changeMeetsDirectGate(
  'the gate of a direct call waits for a change of the allowed countries',
  '+442079460958',
  async (world, tx) => {
    const { id } = world.organization;
    await updateOrganization(tx, id, { allowed_countries: ['US'] }, await engineNow(tx));
  },
);

export const rulesMeetDirectGate = changeMeetsDirectGate(
  'the gate of a direct call waits for rules of law, which this process cannot apply',
  '+12025550123',
  (_, tx) => importUnusableRules(tx),
);

/** A send that is repeated, and whose gate waits for an open change, and sees it then. */
function changeMeetsRepeatedSend(
  name: string,
  change: (world: ScenarioWorld, tx: Tx, campaignId: string) => Promise<unknown>,
): Scenario {
  return {
    name,
    promise: 'no dial after a pause, a cancel or a change',
    async run(world) {
      world.gateway.behaviour = firstPost({ kind: 'drop', accepts: false });
      const campaignId = await world.campaign();
      await world.engine.settle();
      const [call] = await world.calls();
      assert.ok(call);
      await world.clock.advance(13_000);
      await overlapping(
        world,
        (tx) => change(world, tx, campaignId),
        () => world.engine.run({ job: checkCallJob.name, payload: { call_id: call.id } }),
      );
      assert.equal(world.accepted().length, 0, 'a gate decided by what it read before its locks');
      await world.countersAgree();
    },
  };
}

export const configMeetsRepeatedSend = changeMeetsRepeatedSend(
  'the gate of a repeated send waits for a config that requires consent',
  async (world, tx, campaignId) => {
    const key = { organizationId: world.organization.id, campaignId };
    const held = await lockCampaign(tx, key);
    assert.ok(held);
    await writeCampaignConfig(tx, { ...key, changes: { require_consent: true }, now: held.now });
  },
);

export const rulesMeetRepeatedSend = changeMeetsRepeatedSend(
  'the gate of a repeated send waits for rules of law, which this process cannot apply',
  (_, tx) => importUnusableRules(tx),
);
