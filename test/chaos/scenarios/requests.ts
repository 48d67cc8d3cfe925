import assert from 'node:assert/strict';
import { createApiKey } from '@outdial/db';
import { sql } from 'kysely';
import { waitFor } from '../../support/stack/wait-for.ts';
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

export const answerLost: Scenario = {
  name: 'the api commits, and the caller disconnects before the answer',
  promise: 'a repeated request does its work once',
  async run(world) {
    const key = await keyOf(world);
    const ask = (signal?: AbortSignal) =>
      fetch(`${world.baseUrl}/api/v1/agents/${world.organization.agentId}/call`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Idempotency-Key': 'lost' },
        body: JSON.stringify({ to_phone: '+15551000042' }),
        ...(signal && { signal }),
      });
    // The commit waits for a lock of the scenario, so that the caller always disconnects first.
    const gone = new AbortController();
    const release = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = world.db.transaction().execute(async (tx) => {
      await sql`lock table calls in share mode`.execute(tx);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const asking = assert.rejects(ask(gone.signal));
    await world.untilBlocked('scenario');
    gone.abort();
    await asking;
    release.resolve();
    await holding;
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
