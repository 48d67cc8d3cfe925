import { type Selectable, sql } from 'kysely';
import { locks } from '../locks.ts';
import { isOlder, type NewestIdFirst } from '../lists/newest-first.ts';
import type { WebhookEndpointTable } from '../schema/webhooks.ts';
import { type Db, type Executor, inTransaction, retryVictims, type Tx } from '../transaction.ts';

/** Everything but the secrets, which are shown once. */
const columns = [
  'id',
  'organization_id',
  'url',
  'events',
  'description',
  'enabled',
  'disabled_reason',
  'failing_since',
  'created_at',
  'updated_at',
] as const;

export type WebhookEndpointRow = Pick<Selectable<WebhookEndpointTable>, (typeof columns)[number]>;

export interface EndpointAddress {
  organizationId: string;
  endpointId: string;
}

/** Null if the organization has `atMost` endpoints already. */
export async function createWebhookEndpoint(
  tx: Tx,
  args: {
    organizationId: string;
    url: string;
    events: readonly string[];
    description: string;
    enabled: boolean;
    secret: string;
    atMost: number;
  },
): Promise<WebhookEndpointRow | null> {
  // Two requests at once must not both take the last place.
  await sql`select ${locks.webhookEndpoints.take(args.organizationId)}`.execute(tx);
  const { rows } = await sql<WebhookEndpointRow>`
    insert into webhook_endpoints (organization_id, url, events, description, enabled, secret, created_at, updated_at)
    select ${args.organizationId}, ${args.url}, ${args.events}::text[], ${args.description}, ${args.enabled}, ${args.secret},
      t.now, t.now
    from (select engine_now() as now) t
    where (select count(*) from webhook_endpoints where organization_id = ${args.organizationId}) < ${args.atMost}
    returning ${sql.join(columns.map((column) => sql.ref(column)))}`.execute(tx);
  return rows[0] ?? null;
}

export async function findWebhookEndpoint(
  db: Executor,
  address: EndpointAddress,
): Promise<WebhookEndpointRow | null> {
  return (await ofAddress(db, address).executeTakeFirst()) ?? null;
}

export async function lockWebhookEndpoint(
  tx: Tx,
  address: EndpointAddress,
): Promise<WebhookEndpointRow | null> {
  return (await ofAddress(tx, address).forNoKeyUpdate().executeTakeFirst()) ?? null;
}

function ofAddress(db: Executor, { organizationId, endpointId }: EndpointAddress) {
  return db
    .selectFrom('webhook_endpoints')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', endpointId);
}

/** Newest first, those before `before`. */
export async function listWebhookEndpoints(
  db: Executor,
  { organizationId, page }: { organizationId: string; page: NewestIdFirst },
): Promise<WebhookEndpointRow[]> {
  return db
    .selectFrom('webhook_endpoints')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where(isOlder('id', page.after))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
}

/**
 * Changes the given fields. Enabling an endpoint clears the reason for which it was disabled, and another address begins without the failures of the
 * one before. Null if it does not exist.
 */
export async function updateWebhookEndpoint(
  tx: Tx,
  { organizationId, endpointId }: EndpointAddress,
  change: {
    url?: string | undefined;
    events?: readonly string[] | undefined;
    description?: string | undefined;
    enabled?: boolean | undefined;
  },
): Promise<WebhookEndpointRow | null> {
  const row = await tx
    .updateTable('webhook_endpoints')
    .set({
      // Kysely omits undefined fields.
      url: change.url,
      events: change.events && [...change.events],
      description: change.description,
      enabled: change.enabled,
      ...(change.url !== undefined && {
        failing_since: sql<Date | null>`case when url = ${change.url} then failing_since end`,
      }),
      ...(change.enabled === true && { disabled_reason: null, failing_since: null }),
      updated_at: sql<Date>`engine_now()`,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', endpointId)
    .returning(columns)
    .executeTakeFirst();
  return row ?? null;
}

const deliveriesAtOnce = 5_000;

/**
 * Disables the endpoint, deletes its deliveries, and then the endpoint: there may be millions, and the events of all organizations wait for the lock of its
 * row. Null if there is none.
 */
export async function deleteWebhookEndpoint(
  db: Db,
  { organizationId, endpointId }: EndpointAddress,
): Promise<WebhookEndpointRow | null> {
  const disabled = await inTransaction(db, (tx) =>
    updateWebhookEndpoint(tx, { organizationId, endpointId }, { enabled: false }),
  );
  if (disabled === null) return null;
  let deliveries = 0n;
  do {
    const { numAffectedRows = 0n } = await retryVictims(() =>
      sql`
        delete from webhook_deliveries where id = any(array(
          select id from webhook_deliveries where endpoint_id = ${endpointId} limit ${deliveriesAtOnce}))`.execute(
        db,
      ),
    );
    deliveries = numAffectedRows;
  } while (deliveries > 0n);
  const row = await inTransaction(db, (tx) =>
    tx
      .deleteFrom('webhook_endpoints')
      .where('organization_id', '=', organizationId)
      .where('id', '=', endpointId)
      .returning(columns)
      .executeTakeFirst(),
  );
  return row ?? null;
}

/**
 * Gives an endpoint a new secret. The old one also signs for `overlapHours`, and the one before it if it still does: after a lost answer, the receiver knows
 * only that one. Null if the endpoint does not exist.
 */
export async function rotateWebhookSecret(
  tx: Tx,
  { organizationId, endpointId }: EndpointAddress,
  { secret, overlapHours }: { secret: string; overlapHours: number },
): Promise<WebhookEndpointRow | null> {
  const { rows } = await sql<WebhookEndpointRow>`
    update webhook_endpoints e
    set previous_secret = concat_ws(' ', secret,
          case when previous_secret_expires_at > t.now then split_part(previous_secret, ' ', 1) end),
        previous_secret_expires_at = t.now + ${overlapHours} * interval '1 hour',
        secret = ${secret}, updated_at = t.now
    from (select engine_now() as now) t
    where organization_id = ${organizationId} and id = ${endpointId}
    returning ${sql.join(columns.map((column) => sql.ref(`e.${column}`)))}`.execute(tx);
  return rows[0] ?? null;
}
