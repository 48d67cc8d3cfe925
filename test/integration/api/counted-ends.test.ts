import type { Outcome } from '@outdial/core';
import { engineNow, inTransaction, onCommit } from '@outdial/db';
import { endLostWebCalls, retryQueuedCalls } from '@outdial/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { saveLastingHeartbeat } from '../../support/lasting-heartbeat.ts';
import { apiWorld, asOperator, type TestOrganization } from './api-world.ts';

const { client, db, control, organization } = await apiWorld({
  config: {
    callTokenSecret: 'a-secret-of-these-tests-of-32-characters',
    voiceEndpoints: new Set(['llm', 'stt', 'tts']),
  },
});
const ended: Outcome[] = [];
const counting = { ...control, metrics: { callEnded: (outcome: Outcome) => void ended.push(outcome) } };

await saveLastingHeartbeat(db);

/** A call that waits for a line. */
async function queuedCall(acme: TestOrganization): Promise<string> {
  const agentId = await acme.agent();
  return client.create(`POST /api/v1/agents/${agentId}/call`, {
    key: acme.keys.member,
    json: { to_phone: '+15551230000' },
  });
}

describe('the count of ended calls', () => {
  test('has a call that was hung up while it waited for a line', async () => {
    const acme = await organization();
    const callId = await queuedCall(acme);
    expect(await countedByTheApi(acme.id)).toBe(0);
    await client.send(`POST /api/v1/calls/${callId}/hang-up`, { key: acme.keys.member });
    expect(await countedByTheApi(acme.id)).toBe(1);
  });

  test('has a call that got no line in time', async () => {
    await queuedCall(await organization());
    await sql`update calls set queue_deadline_at = engine_now() where phase = 'queued'`.execute(db);
    ended.length = 0;
    await retryQueuedCalls(counting);
    expect(ended).toEqual(['canceled']);
  });

  test('has a web call that no browser joined', async () => {
    const acme = await organization();
    const agentId = await acme.agent({ config: { voice: { mode: 'cascade' } } });
    await client.send(`POST /api/v1/agents/${agentId}/web-call`, { key: acme.keys.member });
    await sql`update calls set check_at = 'epoch' where organization_id = ${acme.id}`.execute(db);
    ended.length = 0;
    await endLostWebCalls(counting);
    expect(ended).toEqual(['canceled']);
  });
});

async function countedByTheApi(organizationId: string): Promise<number> {
  const text = (await client.send('GET /metrics', { headers: asOperator })).bytes.toString();
  const line = text
    .split('\n')
    .find((one) => one.startsWith('outdial_organization_calls_ended_total') && one.includes(organizationId));
  return line === undefined ? 0 : Number(line.split(' ').at(-1));
}

const deadlock = `do $$ begin raise exception 'a deadlock' using errcode = '40P01'; end $$`;

test('an effect on commit happens once the transaction has committed, and not if it is rolled back or retried', async () => {
  const happened: string[] = [];
  let tries = 0;
  await inTransaction(db, async (tx) => {
    tries += 1;
    onCommit(tx, () => void happened.push('committed'));
    await engineNow(tx);
    if (tries === 1) await sql.raw(deadlock).execute(tx);
    expect(happened).toEqual([]);
  });
  expect(tries).toBe(2);
  expect(happened).toEqual(['committed']);
  const rolledBack = inTransaction(db, async (tx) => {
    onCommit(tx, () => void happened.push('rolled back'));
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  expect(happened).toEqual(['committed']);
});
