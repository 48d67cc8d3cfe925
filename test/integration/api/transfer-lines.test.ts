import { randomUUID } from 'node:crypto';
import { countCallsToday, inTransaction, reconcileLines, updateOrganization } from '@outdial/db';
import { applyReports, beginTransfer, endTransfer, transfersAtMost } from '@outdial/engine';
import { beforeEach, expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';

const { db, control, organization } = await apiWorld();
const office = '+12125550199';
let trunk = '';
let people = 0;

beforeEach(async () => {
  trunk = `trunk-${randomUUID()}`;
  await db.insertInto('providers').values({ name: trunk, adapter: 'asterisk', max_lines: 2 }).execute();
});

/** A person in a conversation with an agent, over the provider of the test. */
async function talking(acme: Awaited<ReturnType<typeof organization>>): Promise<string> {
  const agentId = await acme.agent();
  const { id: promptId } = await db
    .selectFrom('agent_prompts')
    .select('id')
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow();
  const callId = randomUUID();
  const at = new Date(Date.now() - 60_000);
  await db
    .insertInto('calls')
    .values({
      id: callId,
      organization_id: acme.id,
      agent_id: agentId,
      provider: trunk,
      phase: 'answered',
      phone_number: `+1212555${String((people += 1)).padStart(4, '0')}`,
      prompt_id: promptId,
      created_by: acme.userId,
      created_at: new Date(),
      gated_at: at,
      accepted_at: at,
      answered_at: at,
      check_at: new Date(Date.now() + 600_000),
      line_held: true,
      events: '[]',
    })
    .execute();
  await db
    .updateTable('providers')
    .set((row) => ({ lines_in_use: row('lines_in_use', '+', 1) }))
    .where('name', '=', trunk)
    .execute();
  return callId;
}

const linesInUse = async () =>
  (
    await db
      .selectFrom('providers')
      .select('lines_in_use')
      .where('name', '=', trunk)
      .executeTakeFirstOrThrow()
  ).lines_in_use;

async function end(callId: string): Promise<void> {
  const fact = { kind: 'ended', eventId: null, at: new Date(), outcome: 'completed', details: {} } as const;
  const deps = {
    ...control,
    settings: { ringTimeoutSeconds: 30, maxCallSeconds: 600 },
    metrics: { callEnded: () => undefined },
  };
  await applyReports(deps, [{ callId, withoutAcceptance: true, facts: [fact] }]);
}

test('a transfer takes a second line of the provider, which is free when it does not come about', async () => {
  const acme = await organization();
  const of = { organizationId: acme.id, callId: await talking(acme) };
  expect(await beginTransfer(db, { ...of, toPhone: office })).toBeNull();
  expect(await linesInUse()).toBe(2);
  // The next transfer takes the same line.
  expect(await beginTransfer(db, { ...of, toPhone: office })).toBeNull();
  expect(await linesInUse()).toBe(2);
  await endTransfer(db, of);
  await endTransfer(db, of);
  expect(await linesInUse()).toBe(1);
  await end(of.callId);
  expect(await linesInUse()).toBe(0);
});

test('a transferred call uses both lines until it ends, and no repair releases one', async () => {
  const acme = await organization();
  const of = { organizationId: acme.id, callId: await talking(acme) };
  await beginTransfer(db, { ...of, toPhone: office });
  await inTransaction(db, (tx) => reconcileLines(tx));
  expect(await linesInUse()).toBe(2);
  await end(of.callId);
  expect(await linesInUse()).toBe(0);
  expect(await beginTransfer(db, { ...of, toPhone: office })).toBe('call_over');
});

test('without a free line nothing is dialed, and nothing stays taken', async () => {
  const acme = await organization();
  const first = { organizationId: acme.id, callId: await talking(acme) };
  await talking(acme);
  expect(await beginTransfer(db, { ...first, toPhone: office })).toBe('no_line_free');
  expect(await linesInUse()).toBe(2);
  await db.updateTable('providers').set({ max_lines: 9 }).where('name', '=', trunk).execute();
  await updateOrganization(db, acme.id, { maxLines: 2 }, new Date());
  expect(await beginTransfer(db, { ...first, toPhone: office })).toBe('no_line_free');
  expect(await linesInUse()).toBe(2);
});

test('a transfer counts in the quota of the day, and is refused beyond it', async () => {
  const acme = await organization();
  const of = { organizationId: acme.id, callId: await talking(acme) };
  await updateOrganization(db, acme.id, { maxCallsPerDay: 2 }, new Date());
  expect(await beginTransfer(db, { ...of, toPhone: office })).toBeNull();
  expect(await countCallsToday(db, acme.id)).toMatchObject({ calls: 2 });
  await endTransfer(db, of);
  expect(await beginTransfer(db, { ...of, toPhone: office })).toBe('quota_exceeded');
});

test('transfers of a call are limited, and refused ones use no line and no quota', async () => {
  const acme = await organization();
  const of = { organizationId: acme.id, callId: await talking(acme) };
  for (let nth = 0; nth < transfersAtMost; nth += 1) {
    expect(await beginTransfer(db, { ...of, toPhone: office })).toBeNull();
    await endTransfer(db, of);
  }
  const counted = await countCallsToday(db, acme.id);
  expect(counted).toMatchObject({ calls: 1 + transfersAtMost });
  expect(await beginTransfer(db, { ...of, toPhone: office })).toBe('too_many_transfers');
  expect(await countCallsToday(db, acme.id)).toEqual(counted);
  expect(await linesInUse()).toBe(1);
});

test('a cap that is set during a transfer counts its line', async () => {
  const acme = await organization();
  const of = { organizationId: acme.id, callId: await talking(acme) };
  await beginTransfer(db, { ...of, toPhone: office });
  await db.updateTable('providers').set({ max_lines: null }).where('name', '=', trunk).execute();
  await db.updateTable('providers').set({ max_lines: 5 }).where('name', '=', trunk).execute();
  expect(await linesInUse()).toBe(2);
});
