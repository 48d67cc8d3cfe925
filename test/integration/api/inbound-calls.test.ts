import { randomUUID } from 'node:crypto';
import { inboundLimits, type InboundCall, type Outcome } from '@outdial/core';
import {
  chooseVoiceProcess,
  inTransaction,
  readCallsLeft,
  tryLockInboundCalls,
  updateOrganization,
} from '@outdial/db';
import { answerInboundCall, applyReports, createMediaRuntimes } from '@outdial/engine';
import { createCallTokens } from '@outdial/runtime';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { confirmNumber } from '../../support/confirmed-caller-id.ts';
import { isFullRun } from '../../support/full-run.ts';
import { saveLastingHeartbeat } from '../../support/lasting-heartbeat.ts';
import { apiWorld } from './api-world.ts';
import { someText } from './matchers.ts';

const secret = 'a-secret-of-these-tests-of-32-characters';
const { client, db, control, organization } = await apiWorld({ config: { callTokenSecret: secret } });
const tokens = createCallTokens(secret);
const settings = { ringTimeoutSeconds: 30, maxCallSeconds: 600 };
/** The outcomes that were counted. */
const ended: Outcome[] = [];
const deps = {
  ...control,
  settings,
  metrics: { callEnded: (outcome: Outcome) => void ended.push(outcome) },
  mediaRuntimes: createMediaRuntimes({ db, tokens, ringTimeoutSeconds: 30, log: control.log }),
};
/** A separate provider for each test, because calls of the other tests still hold lines. */
let carrier = { name: '' };
const talks = { voice: { mode: 'cascade' } };
let numbers = 0;
const newNumber = (): string => `+121255${String((numbers += 1)).padStart(5, '0')}`;

beforeEach(async () => {
  await db.deleteFrom('voice_processes' as never).execute();
  await saveLastingHeartbeat(db);
  carrier = { name: `trunk-${(numbers += 1)}` };
  await db.insertInto('providers').values({ name: carrier.name, adapter: 'asterisk' }).execute();
});

const ofCall = z.object({
  data: z.looseObject({
    status: z.string(),
    agent_id: z.string(),
    phone_number: z.string().nullable(),
    prompt_params: z.record(z.string(), z.string()).nullable(),
    events: z.array(z.looseObject({ type: z.string() })),
    meta: z.looseObject({}),
  }),
});

/** An organization that calls from a number, with an agent that answers it. */
async function owner(options: { agent?: Record<string, unknown> | null; isConfirmed?: boolean } = {}) {
  const acme = await organization();
  const config = options.agent === undefined ? talks : options.agent;
  const agentId = config === null ? null : await acme.agent({ prompt: 'Hello {{name}}.', config });
  const number = newNumber();
  const added = await client.send('POST /api/v1/caller-ids', {
    key: acme.keys.manager,
    json: { phone_number: number, agent_id: agentId },
  });
  expect(added).toMatchObject({ status: 200, json: { data: { agent_id: agentId } } });
  if (options.isConfirmed !== false) {
    await confirmNumber(db, { organizationId: acme.id, phoneNumber: number });
  }
  return {
    ...acme,
    number,
    agentId,
    async record(callId: string) {
      const { json } = await client.send(`GET /api/v1/calls/${callId}`, { key: acme.keys.viewer });
      return ofCall.parse(json).data;
    },
    async records() {
      const { json } = await client.send('GET /api/v1/calls', { key: acme.keys.viewer });
      return z.object({ data: z.object({ items: z.array(ofCall.shape.data) }) }).parse(json).data.items;
    },
  };
}

type Owner = Awaited<ReturnType<typeof owner>>;

const comesIn = (to: Pick<Owner, 'number'>, change: Partial<InboundCall> = {}) =>
  answerInboundCall(deps, carrier, {
    conversationId: randomUUID(),
    toPhone: to.number,
    fromPhone: newNumber(),
    ...change,
  });

async function answered(to: Pick<Owner, 'number'>, change: Partial<InboundCall> = {}) {
  const answer = await comesIn(to, change);
  if (answer.kind !== 'answered') throw new Error(`refused: ${answer.reason}`);
  return answer;
}

/** An ended call from an agent to a person. */
function calledBefore(of: Owner, agentId: string, phoneNumber: string): Promise<string> {
  const at = new Date(Date.now() - 60_000);
  const events = [{ type: 'conversation_ended', at: at.toISOString(), summary: 'They asked for Ada.' }];
  return of.call({
    agent_id: agentId,
    provider: carrier.name,
    phone_number: phoneNumber,
    from_phone: of.number,
    prompt_params: JSON.stringify({ name: 'Jo' }),
    created_at: at,
    answered_at: at,
    events: JSON.stringify(events),
  });
}

async function end(callId: string): Promise<void> {
  const fact = { kind: 'ended', eventId: null, at: new Date(), outcome: 'completed', details: {} } as const;
  await applyReports(deps, [{ callId, withoutAcceptance: true, facts: [fact] }]);
}

const linesInUse = async (): Promise<number> =>
  (
    await db
      .selectFrom('providers')
      .select('lines_in_use')
      .where('name', '=', carrier.name)
      .executeTakeFirstOrThrow()
  ).lines_in_use;

test('the agent that last called a person answers and knows of that call, and the record is an ordinary one', async () => {
  const acme = await owner();
  const caller = await acme.agent({ prompt: 'Hello {{name}}.', config: talks });
  const person = newNumber();
  await calledBefore(acme, caller, person);
  const { callId, agentId, runtime } = await answered(acme, { fromPhone: person });
  expect(agentId).toBe(caller);
  expect(runtime.url).toBe('ws://voice-1:8090');
  expect(await tokens.verify(runtime.token, new Date())).toEqual({ organizationId: acme.id, callId });
  expect(await acme.record(callId)).toMatchObject({
    provider: 'phone_inbound',
    type: 'inbound',
    status: 'init',
    phone_number: person,
    created_by: null,
    system_prompt: 'Hello Jo.',
    prompt_params: {
      name: 'Jo',
      called_number: acme.number,
      caller_number: person,
      last_call_outcome: 'completed',
      last_call_summary: 'They asked for Ada.',
    },
  });
  await end(callId);
  const told = await db.selectFrom('outbox').select('type').where('call_id', '=', callId).execute();
  expect(told.map(({ type }) => type)).toEqual(['call.started', 'call.ended']);
});

test('the agent of the number answers people without an earlier call or agent, and callers without a number', async () => {
  const acme = await owner();
  const gone = await acme.agent({ prompt: 'Hello.', config: talks });
  const person = newNumber();
  await calledBefore(acme, gone, person);
  await client.send(`DELETE /api/v1/agents/${gone}`, { key: acme.keys.manager });
  for (const fromPhone of [newNumber(), person, null]) {
    const { callId, agentId } = await answered(acme, { fromPhone });
    expect(agentId).toBe(acme.agentId);
    const record = await acme.record(callId);
    expect(record.phone_number).toBe(fromPhone);
    expect(record.prompt_params).not.toHaveProperty('name');
  }
});

test('a number that no organization has, or without an agent that talks, is not answered', async () => {
  expect(await comesIn({ number: newNumber() })).toMatchObject({
    reason: 'number_unknown',
    isUnknownNumber: true,
  });
  expect(await comesIn(await owner({ agent: null }))).toMatchObject({ reason: 'no_agent' });
  expect(await comesIn(await owner({ agent: {} }))).toMatchObject({ reason: 'no_agent' });
});

test('a number that the operator has not confirmed is not answered', async () => {
  const acme = await owner({ isConfirmed: false });
  expect(await comesIn(acme)).toMatchObject({ reason: 'number_unknown', isUnknownNumber: true });
  await confirmNumber(db, { organizationId: acme.id, phoneNumber: acme.number });
  expect((await answered(acme)).agentId).toBe(acme.agentId);
});

test('a caller id names an agent of its organization, or none', async () => {
  const other = await owner();
  const acme = await organization();
  const add = (agentId: string | null) =>
    client.send('POST /api/v1/caller-ids', {
      key: acme.keys.manager,
      json: { phone_number: newNumber(), agent_id: agentId },
    });
  expect((await add(other.agentId)).status).toBe(422);
  expect((await add(randomUUID())).status).toBe(422);
  expect((await add(null)).status).toBe(200);
});

test('a call that a carrier reports repeatedly is one call', async () => {
  const acme = await owner();
  const told = { conversationId: 'CA1', fromPhone: newNumber() };
  const first = await answered(acme, told);
  const second = await answered(acme, told);
  expect(second.callId).toBe(first.callId);
  expect(await acme.records()).toHaveLength(1);
});

test('a call that is announced once more after its end is not answered, and no second one', async () => {
  const acme = await owner();
  const told = { conversationId: 'CA2', fromPhone: newNumber() };
  await end((await answered(acme, told)).callId);
  expect(await comesIn(acme, told)).toMatchObject({ kind: 'refused', reason: 'call_over' });
  expect(await acme.records()).toHaveLength(1);
});

test('a caller has a limited number of calls in an hour over all numbers, and further ones leave no record', async () => {
  const acme = await owner();
  const person = newNumber();
  for (let n = 0; n < inboundLimits.ofCallerPerHour; n += 1) {
    await end((await answered(acme, { fromPhone: person })).callId);
  }
  expect(await comesIn(acme, { fromPhone: person })).toMatchObject({ reason: 'caller_rate' });
  const second = newNumber();
  await client.send('POST /api/v1/caller-ids', {
    key: acme.keys.manager,
    json: { phone_number: second, agent_id: acme.agentId },
  });
  await confirmNumber(db, { organizationId: acme.id, phoneNumber: second });
  expect(await comesIn({ number: second }, { fromPhone: person })).toMatchObject({ reason: 'caller_rate' });
  expect(await acme.records()).toHaveLength(inboundLimits.ofCallerPerHour);
  await answered(acme);
});

test('the operator can set other limits for an organization', async () => {
  const acme = await owner();
  const limits = { max_inbound_calls: 3, max_inbound_per_caller_hour: 1, max_inbound_per_number_hour: 4 };
  await updateOrganization(db, acme.id, limits, new Date());
  const person = newNumber();
  await answered(acme, { fromPhone: person });
  expect(await comesIn(acme, { fromPhone: person })).toMatchObject({ reason: 'caller_rate' });
  await answered(acme);
  const { callId } = await answered(acme);
  expect(await comesIn(acme)).toMatchObject({ reason: 'too_many_inbound_calls' });
  await end(callId);
  // The earlier refusal left a record, the fourth of the hour.
  expect(await comesIn(acme)).toMatchObject({ reason: 'number_rate' });
  const read = await client.send('GET /api/v1/organization', { key: acme.keys.viewer });
  expect(read.json).toMatchObject({
    data: {
      limits: { max_inbound_calls: 3, max_inbound_per_caller_hour: 1, max_inbound_per_number_hour: 4 },
    },
  });
});

test('an organization has a limit of concurrent inbound calls', async () => {
  const acme = await owner();
  for (let n = 2; n < inboundLimits.atATime; n += 1) await answered(acme);
  const all = await Promise.all(Array.from({ length: 6 }, () => comesIn(acme)));
  const refused = all.filter(({ kind }) => kind === 'refused');
  expect(refused).toHaveLength(4);
  expect(refused[0]).toMatchObject({ reason: 'too_many_inbound_calls' });
});

test.runIf(isFullRun)('organizations share voice processes equally', async () => {
  await db.deleteFrom('voice_processes' as never).execute();
  await saveLastingHeartbeat(db, { capacity: 20 });
  const [first, second] = [await owner(), await owner()];
  const limits = { max_inbound_calls: 100, max_inbound_per_number_hour: 100 };
  for (const { id } of [first, second]) await updateOrganization(db, id, limits, new Date());
  const callsOfFirst: string[] = [];
  for (let n = 0; n < 18; n += 1) callsOfFirst.push((await answered(first)).callId);
  expect(await comesIn(first)).toMatchObject({ reason: 'voice_processes_full' });
  // A repeated call already has its place.
  const [again = ''] = callsOfFirst;
  const placedAgain = { organizationId: first.id, callId: again, endpoints: [], reservedForSeconds: 60 };
  expect(await chooseVoiceProcess(db, placedAgain)).toMatchObject({ kind: 'chosen' });
  await answered(second);
  await answered(second);
  expect(await comesIn(second)).toMatchObject({ reason: 'voice_processes_full' });
  for (const callId of callsOfFirst.slice(0, 2)) {
    await end(callId);
    expect(await comesIn(first)).toMatchObject({ reason: 'voice_processes_full' });
    await answered(second);
  }
});

test.runIf(isFullRun)(
  'a burst of calls to one organization holds no connections while it waits, and calls that wait too long get a busy signal',
  async () => {
    const acme = await owner();
    const other = await owner();
    await inTransaction(db, async (tx) => {
      expect(await tryLockInboundCalls(tx, acme.id)).toBe(true);
      const burst = Promise.all(Array.from({ length: 16 }, () => comesIn(acme)));
      await answered(other);
      const reasons = (await burst).map((answer) => (answer.kind === 'refused' ? answer.reason : 'answered'));
      expect(new Set(reasons)).toEqual(new Set(['too_many_inbound_calls']));
    });
    expect(await acme.records()).toEqual([]);
    await answered(acme);
  },
);

test('a call takes a line of the provider and of the organization, and gives both back', async () => {
  const acme = await owner();
  await db.updateTable('providers').set({ max_lines: 1 }).where('name', '=', carrier.name).execute();
  const { callId } = await answered(acme);
  expect(await linesInUse()).toBe(1);
  expect(await comesIn(acme)).toMatchObject({ reason: 'no_line_free' });
  await end(callId);
  expect(await linesInUse()).toBe(0);
  await updateOrganization(db, acme.id, { max_lines: 0 }, new Date());
  expect(await comesIn(acme)).toMatchObject({ reason: 'no_line_free' });
  expect(await linesInUse()).toBe(0);
});

test('a refused call ends as any other: its record, its event and the count of ended calls say so', async () => {
  const acme = await owner();
  const fromPhone = newNumber();
  await answered(acme, { fromPhone });
  ended.length = 0;
  expect(await comesIn(acme, { fromPhone })).toMatchObject({ reason: 'number_in_call' });
  const { id, created_at: createdAt } = await db
    .selectFrom('calls')
    .select(['id', 'created_at'])
    .where('organization_id', '=', acme.id)
    .where('phase', '=', 'ended')
    .executeTakeFirstOrThrow();
  const record = await acme.record(id);
  expect(record).toMatchObject({ status: 'other', duration: 0, external_last_status: 'number_in_call' });
  expect(record.events.map(({ type }) => type)).toEqual(['called_in', 'prompt_placeholder_missing', 'ended']);
  const at = createdAt.toISOString();
  const told = await db.selectFrom('outbox').select(['type', 'data']).where('call_id', '=', id).execute();
  expect(told).toEqual([
    {
      type: 'call.ended',
      data: {
        attempt: 1,
        status: 'other',
        outcome: 'busy',
        started_at: at,
        ended_at: someText,
        duration: 0,
        external_status: 'number_in_call',
      },
    },
  ]);
  expect(ended).toEqual(['busy']);
});

test('a call without a free voice process is refused, and uses up no line and nothing of the quota of the day', async () => {
  const acme = await owner();
  await updateOrganization(db, acme.id, { max_calls_per_day: 1 }, new Date());
  await db.updateTable('providers').set({ max_lines: 5 }).where('name', '=', carrier.name).execute();
  await db.deleteFrom('voice_processes' as never).execute();
  expect(await comesIn(acme)).toMatchObject({ reason: 'no_voice_process' });
  const busy = { external_last_status: 'no_voice_process', meta: { outcome: 'busy' } };
  expect(await acme.records()).toMatchObject([busy]);
  expect(await linesInUse()).toBe(0);
  expect(await readCallsLeft(db, acme.id)).toMatchObject({ left: 1 });
  await saveLastingHeartbeat(db);
  await answered(acme);
  expect(await comesIn(acme)).toMatchObject({ reason: 'quota_exceeded' });
});

test('a person who is never called may call, and can be erased with that call', async () => {
  const acme = await owner();
  const fromPhone = newNumber();
  await client.send('POST /api/v1/suppressions', {
    key: acme.keys.manager,
    json: { phone_number: fromPhone },
  });
  const { callId } = await answered(acme, { fromPhone });
  await end(callId);
  const key = acme.keys.admin;
  const exported = await client.send(`GET /api/v1/people/${fromPhone}/export`, { key });
  expect(JSON.stringify(exported.json)).toContain(callId);
  const erased = await client.send('POST /api/v1/erasures', { key, json: { phone_number: fromPhone } });
  expect(erased.status).toBe(200);
  expect(JSON.stringify(await acme.record(callId))).not.toContain(fromPhone.slice(1));
});
