import { addNumberQueries, addSuppressions, inTransaction, removeSuppression } from '@outdial/db';
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
  return { ...hand, db: hand.stack.db, organizationId, dialed };
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
  const query = { phoneNumber: asked, queriedAt: await stack.clock.now(), answer: 'no' as const };
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
