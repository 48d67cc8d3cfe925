import {
  addNumberQueries,
  addSuppressions,
  inTransaction,
  removeSuppression,
  suppressEverywhere,
} from '@outdial/db';
import { expect, test } from 'vitest';
import { campaignByHand, overlapping } from '../engine/by-hand.ts';
import { phoneNumbers } from '../engine/campaign.ts';

const [home = '', mobile = '', work = '', stranger = ''] = phoneNumbers(4);
const person = (...numbers: string[]) =>
  numbers.map((phone_number) => ({ phone_number, person_ref: 'customer-4711' }));

async function world() {
  const hand = await campaignByHand({}, { phone_numbers: [home, mobile, work, stranger] });
  const { organization_id: organizationId } = await hand.recipient();
  const dialed = async () => (await hand.dialAll()).map((call) => call.phone_number).toSorted();
  const { db } = hand.stack;
  const nowMs = (await hand.stack.clock.now()).getTime();
  /** Null is never. */
  const until = (days: number | null) => (days === null ? null : new Date(nowMs + days * 24 * 3_600_000));
  const add = (ends: ReadonlyArray<readonly [string, number | null]>) =>
    addSuppressions(db, {
      organizationId,
      suppressions: ends.map(([phoneNumber, days]) => ({
        phoneNumber,
        reason: null,
        expiresAt: until(days),
      })),
    });
  const ends = async () => {
    const rows = await db.selectFrom('suppressions').selectAll().execute();
    return Object.fromEntries(rows.map((row) => [row.phone_number, row.expires_at]));
  };
  return { ...hand, db, organizationId, dialed, until, add, ends };
}

test('a request of one number of a person counts for the others, and leaving the list is for each number alone', async () => {
  const { db, manager, organizationId, dialed } = await world();
  expect(await manager.importPersonNumbers(person(home, mobile))).toMatchObject({ added: 2, known: 0 });
  await manager.suppress(home, { channel: 'email' });
  await inTransaction(db, (tx) => removeSuppression(tx, { organizationId, phoneNumber: home }));
  expect(await dialed()).toEqual([home, work, stranger].toSorted());
  expect(await manager.defendPerson(mobile)).toMatchObject({
    person_ref: 'customer-4711',
    other_numbers: [home],
    suppression: { phone_number: mobile },
    revocations: [{ channel: 'email' }],
  });
});

test('a number of which only the name of its person or a query is known has a file too', async () => {
  const { manager, db, organizationId, stack } = await world();
  const [named, asked] = ['+15551990001', '+15551990002'] as const;
  await manager.importPersonNumbers(person(named));
  const query = { phone_number: asked, queried_at: await stack.clock.now(), answer: 'no' as const };
  await inTransaction(db, (tx) =>
    addNumberQueries(tx, {
      organizationId,
      createdBy: null,
      queries: [{ ...query, since: null, source: 'a registry' }],
    }),
  );
  expect(await manager.defendPerson(named)).toMatchObject({ person_ref: 'customer-4711' });
  expect((await manager.defendPerson(asked)).number_queries).toHaveLength(1);
});

test('a request counts for numbers of the person that are known later, as long as it holds', async () => {
  const { db, manager, organizationId, dialed, stack } = await world();
  const expiresAt = new Date((await stack.clock.now()).getTime() + 24 * 3_600_000);
  await addSuppressions(db, {
    organizationId,
    suppressions: [{ phoneNumber: home, reason: null, expiresAt }],
  });
  await manager.importPersonNumbers(person(home, work));
  expect(await dialed()).toEqual([mobile, stranger].toSorted());
  expect((await manager.defendPerson(work)).suppression?.expires_at).toBe(expiresAt.toISOString());
});

test.each([
  [7, null, null],
  [null, 1, null],
  [1, 7, 7],
])(
  'of requests for %s and %s days, the longest counts for all numbers of a person that is known later',
  async (one, other, longest) => {
    const { manager, until, add, ends } = await world();
    await add([
      [home, one],
      [mobile, other],
    ]);
    await manager.importPersonNumbers(person(home, mobile));
    const end = until(longest);
    expect(await ends()).toEqual({ [home]: end, [mobile]: end });
  },
);

test.each([
  [7, null, null],
  [null, 7, null],
  [7, 1, 7],
])(
  'the longest of the requests for %s and %s days of one import counts for all numbers of a person',
  async (one, other, longest) => {
    const { manager, db, until, add, ends } = await world();
    await manager.importPersonNumbers(person(home, mobile, work));
    await add([
      [home, one],
      [mobile, other],
    ]);
    const end = until(longest);
    expect(await ends()).toEqual({ [home]: end, [mobile]: end, [work]: end });
    // Each number was requested once.
    expect(await db.selectFrom('revocations').select('id').execute()).toHaveLength(3);
  },
);

test.each([1, -1])(
  'a number on the list of the installation counts without an end, whatever the organization said: %s days',
  async (days) => {
    const { db, manager, add, ends } = await world();
    await add([[home, days]]);
    await inTransaction(db, (tx) => suppressEverywhere(tx, [{ phoneNumber: home, reason: null }]));
    await manager.importPersonNumbers(person(home, work));
    expect(await ends()).toMatchObject({ [work]: null });
  },
);

test('of a request and a new number of the person at the same time, the later one sees the other', async () => {
  const { db, manager, organizationId, dialed } = await world();
  await manager.importPersonNumbers(person(home));
  await overlapping(
    db,
    (tx) => addSuppressions(tx, { organizationId, suppressions: [{ phoneNumber: home, reason: null }] }),
    () => manager.importPersonNumbers(person(mobile)),
  );
  expect(await dialed()).toEqual([work, stranger].toSorted());
});

test('a name that more than a hundred numbers have is refused, since one request would suppress all of them', async () => {
  const { manager, dialed } = await world();
  await expect(manager.importPersonNumbers(person(...phoneNumbers(101)))).rejects.toMatchObject({
    status: 409,
    code: 'quota_exceeded',
  });
  await manager.suppress(home, { channel: 'email' });
  expect(await dialed()).toEqual([mobile, work, stranger].toSorted());
});
