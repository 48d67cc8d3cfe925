import type { EventType } from '@outdial/core';
import { addSuppressions, createOrganization, type Db } from '@outdial/db';
import { expect, test } from 'vitest';
import { page, useIngestion } from '../knowledge-base/ingestion-world.ts';

const world = await useIngestion();

async function told(db: Db, type: EventType) {
  const rows = await db
    .selectFrom('outbox')
    .select(['data'])
    .where('type', '=', type)
    .orderBy('ordinal')
    .execute();
  return rows.map((row) => row.data);
}

test('ready and failed documents have an event with their items', async () => {
  const base = await world.newBase();
  const [good, bad] = await world.uploaded(base, [page('Refunds take five days.'), '%PDF-1.7 broken']);
  world.work();
  await world.settled(base, [good ?? '', bad ?? '']);
  expect(await told(world.db, 'knowledge_base_item.ready')).toMatchObject([
    { item_id: good, knowledge_base_id: base.base, status: 'ready' },
  ]);
  expect(await told(world.db, 'knowledge_base_item.failed')).toMatchObject([
    { item_id: bad, knowledge_base_id: base.base, status: 'failed' },
  ]);
});

test('each suppressed number has one event', async () => {
  const organizationId = await createOrganization(world.db, { name: 'Acme' });
  const suppressions = ['+15551230000', '+15551230001'].map((phoneNumber) => ({
    phoneNumber,
    reason: 'asked',
  }));
  await addSuppressions(world.db, { organizationId, suppressions });
  await addSuppressions(world.db, { organizationId, suppressions });
  expect(await told(world.db, 'suppression.added')).toEqual([
    { phone_number: '+15551230000', reason: 'asked' },
    { phone_number: '+15551230001', reason: 'asked' },
  ]);
});
