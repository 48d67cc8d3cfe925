import assert from 'node:assert/strict';
import { createApiKey } from '@outdial/db';
import { sql } from 'kysely';
import { waitFor } from '../../support/stack/wait-for.ts';
import { heldBy } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import { firstNumber, type ScenarioWorld } from './world.ts';

/** Requests a call, again and again with the same key. */
async function caller(world: ScenarioWorld): Promise<(signal?: AbortSignal) => Promise<Response>> {
  const { id: organizationId, agentId, users } = world.organization;
  const { key } = await createApiKey(world.db, {
    organizationId,
    userId: users.admin.id,
    name: 'scenario',
    role: 'admin',
  });
  return (signal) =>
    fetch(`${world.baseUrl}/api/v1/agents/${agentId}/call`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
      body: JSON.stringify({ to_phone: firstNumber }),
      ...(signal && { signal }),
    });
}

export const answerLost: Scenario = {
  name: 'the api commits, and the caller disconnects before the answer',
  promise: 'a repeated request does its work once',
  async run(world) {
    const ask = await caller(world);
    // The commit waits for a lock of the scenario, so that the caller always disconnects first.
    const gone = new AbortController();
    const release = await heldBy(world, sql`lock table calls in share mode`);
    const asking = assert.rejects(ask(gone.signal));
    await world.untilBlocked('scenario');
    gone.abort();
    await asking;
    await release();
    await waitFor('the first request has committed', async () => (await world.calls()).length > 0);
    const answer = await ask();
    assert.equal(answer.status, 200);
    const [call] = await world.calls();
    assert.match(await answer.text(), new RegExp(call?.id ?? 'no call'));
    assert.equal((await world.calls()).length, 1);
  },
};

export const requestTwice: Scenario = {
  name: 'a caller without an answer repeats its request, both while the first one is running and after its end',
  promise: 'a repeated request does its work once',
  async run(world) {
    const ask = await caller(world);
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    for (const { status } of answers) assert.ok(status === 200 || status === 409, `status ${status}`);
    assert.equal((await ask()).status, 200);
    assert.equal((await world.calls()).length, 1);
    await world.engine.settle();
    assert.equal(world.accepted().length, 1);
  },
};
