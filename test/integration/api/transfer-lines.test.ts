import { randomUUID } from 'node:crypto';
import {
  addCallerId,
  addSuppressions,
  allowEverywhere,
  countCallsToday,
  inTransaction,
  reconcileLines,
  suppressEverywhere,
  updateOrganization,
} from '@outdial/db';
import {
  applyReports,
  beginTransfer,
  endTransfer,
  refusalOfTransfer,
  transfersAtMost,
} from '@outdial/engine';
import { sql, type RawBuilder } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';
import { createEngineClock } from '../../support/stack/engine-clock.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { apiWorld } from './api-world.ts';

const { db, control, organization } = await apiWorld();
const clock = createEngineClock(control, { wakes: false });
const office = '+12125550199';
let trunk = '';
let people = 0;

type Acme = Awaited<ReturnType<typeof organization>>;

beforeEach(async () => {
  // Calls of a minute ago are of the same day.
  await clock.set('2027-01-12T17:00:00Z');
  trunk = `trunk-${randomUUID()}`;
  await db.insertInto('providers').values({ name: trunk, adapter: 'asterisk', max_lines: 2 }).execute();
});

/** A person in a conversation with an agent, over the provider of the test. */
async function talking(acme: Acme): Promise<string> {
  const now = await clock.now();
  const at = new Date(now.getTime() - 60_000);
  const callId = await acme.call({
    provider: trunk,
    phase: 'answered',
    outcome: null,
    ended_at: null,
    phone_number: `+1212555${String((people += 1)).padStart(4, '0')}`,
    created_at: now,
    gated_at: at,
    accepted_at: at,
    answered_at: at,
    check_at: new Date(now.getTime() + 600_000),
    line_held: true,
  });
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
  const at = await clock.now();
  const fact = { kind: 'ended', eventId: null, at, outcome: 'completed', details: {} } as const;
  const deps = {
    ...control,
    settings: { ringTimeoutSeconds: 30, maxCallSeconds: 600 },
    metrics: { callEnded: () => undefined },
  };
  await applyReports(deps, [{ callId, withoutAcceptance: true, facts: [fact] }]);
}

/** Holds a lock until the returned function is called. */
async function holding(lock: RawBuilder<unknown>): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const over = inTransaction(db, async (tx) => {
    await lock.execute(tx);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  return () => {
    release.resolve();
    return over;
  };
}

const untilBlocked = (count: number) =>
  waitFor('blocked', async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(db);
    return rows.length === count;
  });

const suppressed = [{ phoneNumber: office, reason: null }];
const lists: Array<[string, (acme: Acme) => Promise<unknown>, () => Promise<unknown>]> = [
  [
    'the organization',
    ({ id }) => addSuppressions(db, { organizationId: id, suppressions: suppressed }),
    () => Promise.resolve(),
  ],
  [
    'the installation',
    () => inTransaction(db, (tx) => suppressEverywhere(tx, suppressed)),
    () => allowEverywhere(db, [office]),
  ],
];

test.each(lists)(
  'a transfer that waits for a lock sees what was suppressed meanwhile: on the list of %s',
  async (_of, suppress, allow) => {
    onTestFinished(async () => void (await allow()));
    const acme = await organization();
    const of = { organizationId: acme.id, callId: await talking(acme) };
    // As while a cap of lines is set.
    const release = await holding(sql`select pg_advisory_xact_lock(1, 0)`);
    const transfer = beginTransfer(db, { ...of, toPhone: office });
    await untilBlocked(1);
    await suppress(acme);
    await release();
    expect(await transfer).toBe('number_suppressed');
    expect(await linesInUse()).toBe(1);
  },
);

test.each(lists)(
  'a suppression is answered only after transfers that were allowed before it: on the list of %s',
  async (_of, suppress, allow) => {
    onTestFinished(async () => void (await allow()));
    const acme = await organization();
    const of = { organizationId: acme.id, callId: await talking(acme) };
    const release = await holding(sql`select from calls where id = ${of.callId} for update`);
    const transfer = beginTransfer(db, { ...of, toPhone: office });
    await untilBlocked(1);
    // Two connections answer in any order: what was committed before the suppression is what its caller sees.
    const suppressing = suppress(acme).then(() => linesInUse());
    await Promise.race([suppressing, untilBlocked(2)]);
    await release();
    expect(await suppressing).toBe(2);
    expect(await transfer).toBeNull();
  },
);

async function setPolicy(acme: Acme, policy: 'none' | 'standard' | 'strict'): Promise<void> {
  const now = await clock.now();
  await inTransaction(db, (tx) => updateOrganization(tx, acme.id, { calling_policy: policy }, now));
}

test('under a policy a target is not called at night, unless it is a confirmed number of the organization', async () => {
  const acme = await organization();
  const of = { organizationId: acme.id, callId: await talking(acme) };
  const transferAt = async (at: string, policy: 'none' | 'standard' | 'strict') => {
    await setPolicy(acme, policy);
    await clock.set(at);
    const refusal = await beginTransfer(db, { ...of, toPhone: office });
    expect(await refusalOfTransfer(db, { organizationId: acme.id, toPhone: office })).toBe(refusal);
    await endTransfer(db, of);
    return refusal;
  };
  // 03:30 and 12:00 in New York.
  expect(await transferAt('2027-01-12T08:30:00Z', 'strict')).toBe('outside_calling_hours');
  expect(await transferAt('2027-01-12T08:30:00Z', 'standard')).toBe('outside_calling_hours');
  expect(await transferAt('2027-01-12T17:00:00Z', 'strict')).toBeNull();
  expect(await transferAt('2027-01-12T08:30:00Z', 'none')).toBeNull();
  await addConfirmedCallerId(db, acme.id, { phone_number: office });
  expect(await transferAt('2027-01-12T08:30:00Z', 'strict')).toBeNull();
  await addSuppressions(db, { organizationId: acme.id, suppressions: suppressed });
  expect(await transferAt('2027-01-12T17:00:00Z', 'strict')).toBe('number_suppressed');
  expect(await linesInUse()).toBe(1);
});

test('a premium number is no target, and one that is not confirmed as the organization’s gives no hours', async () => {
  const acme = await organization();
  const of = { organizationId: acme.id, callId: await talking(acme) };
  expect(await beginTransfer(db, { ...of, toPhone: '+19005550123' })).toBe('destination_refused');
  await setPolicy(acme, 'strict');
  await clock.set('2027-01-12T08:30:00Z');
  const callerId = { phone_number: '+12125550198', country: 'US', prefixes: [], attestation: null };
  const limits = { calls_per_day: 100, calls_per_hour: null, warm_up_days: 0 };
  await inTransaction(db, (tx) =>
    addCallerId(tx, { organizationId: acme.id, callerId: { ...callerId, ...limits } }),
  );
  expect(await beginTransfer(db, { ...of, toPhone: '+12125550198' })).toBe('outside_calling_hours');
});

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
  await updateOrganization(db, acme.id, { max_lines: 2 }, await clock.now());
  expect(await beginTransfer(db, { ...first, toPhone: office })).toBe('no_line_free');
  expect(await linesInUse()).toBe(2);
});

test('a transfer counts in the quota of the day, and is refused beyond it', async () => {
  const acme = await organization();
  const of = { organizationId: acme.id, callId: await talking(acme) };
  await updateOrganization(db, acme.id, { max_calls_per_day: 2 }, await clock.now());
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
