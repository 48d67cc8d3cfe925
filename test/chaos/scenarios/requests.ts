import assert from 'node:assert/strict';
import { createApiKey } from '@outdial/db';
import type { Scenario } from './scenario.ts';
import type { ScenarioWorld } from './world.ts';

async function keyOf(world: ScenarioWorld): Promise<string> {
  const { key } = await createApiKey(world.db, {
    organizationId: world.organization.id,
    userId: world.organization.users.admin.id,
    name: 'scenario',
    role: 'admin',
  });
  return key;
}

export const requestTwice: Scenario = {
  name: 'a caller repeats a request whose answer it has not seen, while the first still runs and after it',
  promise: 'a repeated request does its work once',
  async run(world) {
    const key = await keyOf(world);
    const ask = () =>
      fetch(`${world.baseUrl}/api/v1/agents/${world.organization.agentId}/call`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
        body: JSON.stringify({ to_phone: '+15551000042' }),
      });
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    for (const { status } of answers) assert.ok(status === 200 || status === 409, `status ${status}`);
    assert.equal((await ask()).status, 200);
    assert.equal((await world.calls()).length, 1);
    await world.engine.settle();
    assert.equal(world.accepted().length, 1);
  },
};
