import {
  addCallerId,
  confirmCallerId,
  engineNow,
  inTransaction,
  lockCallerIds,
  type Db,
  type NewCallerId,
} from '@outdial/db';

/** Adds a caller id, of New York unless said otherwise, and confirms it, as the operator does. Returns its id. */
export async function addConfirmedCallerId(
  db: Db,
  organizationId: string,
  differs: Partial<NewCallerId> = {},
): Promise<string> {
  const callerId = {
    phone_number: '+12125550123',
    country: 'US',
    prefixes: [],
    attestation: null,
    calls_per_day: 100,
    calls_per_hour: null,
    warm_up_days: 0,
    ...differs,
  };
  const id = await inTransaction(db, (tx) => addCallerId(tx, { organizationId, callerId }));
  if (id === null) throw new Error(`an organization already has ${callerId.phone_number}`);
  await confirmNumber(db, { organizationId, phoneNumber: callerId.phone_number });
  return id;
}

/** What `outdial caller-id confirm` does. */
export async function confirmNumber(
  db: Db,
  key: { organizationId: string; phoneNumber: string },
): Promise<void> {
  const isConfirmed = await inTransaction(db, async (tx) => {
    await lockCallerIds(tx, key.organizationId);
    return confirmCallerId(tx, { ...key, now: await engineNow(tx) });
  });
  if (!isConfirmed) throw new Error(`${key.phoneNumber} does not wait for confirmation`);
}
