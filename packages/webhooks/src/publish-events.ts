import { deliverWebhooksJob } from '@outdial/contracts';
import type { Swept } from '@outdial/core';
import {
  deleteOldDeliveries,
  engineNow,
  findEndpointsWithDueDeliveries,
  outboxRetentionDays,
  placeEvents,
  type Db,
} from '@outdial/db';
import type { Publisher } from '@outdial/queues';

interface PublishDeps {
  db: Db;
  publisher: Publisher;
}

const eventsAtOnce = 2_000;
/** The limit for organizations that do not read their events: a thousand a second, at 2 to 3 % of a core. */
const spareEventsAtOnce = 250;
const endpointsAtOnce = 1_000;
const deletedAtOnce = 5_000;

/** Numbers new events, and publishes jobs to send them. */
export async function publishEvents({ db, publisher }: PublishDeps): Promise<Swept> {
  const { placed, endpointIds, isFull } = await placeEvents(db, {
    limit: eventsAtOnce,
    spare: spareEventsAtOnce,
  });
  await publish(publisher, endpointIds);
  return { done: placed, isFull };
}

/** Publishes again for endpoints that have something due: a retry whose time has come, or a delivery whose worker died. */
export async function resumeDeliveries({ db, publisher }: PublishDeps): Promise<Swept> {
  const endpointIds = await findEndpointsWithDueDeliveries(db, { limit: endpointsAtOnce });
  await publish(publisher, endpointIds);
  // A published delivery stays due until a worker claims it, so an immediate further round would find it again.
  return { done: endpointIds.length, isFull: false };
}

/** Deletes deliveries of deleted events. */
export async function forgetDeliveries({ db }: Pick<PublishDeps, 'db'>): Promise<Swept> {
  const done = await deleteOldDeliveries(db, {
    now: await engineNow(db),
    days: outboxRetentionDays,
    limit: deletedAtOnce,
  });
  return { done, isFull: done === deletedAtOnce };
}

async function publish(publisher: Publisher, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length === 0) return;
  await publisher.publishMany(
    deliverWebhooksJob,
    endpointIds.map((id) => ({ endpoint_id: id })),
  );
}
