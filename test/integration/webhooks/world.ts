import {
  connect,
  createOrganization,
  createWebhookEndpoint,
  engineNow,
  inTransaction,
  placeEvents,
  type Db,
} from '@outdial/db';
import {
  createGiveWay,
  createWebhookClient,
  deliverEndpoint,
  newSigningSecret,
  type DeliverDeps,
  type Delivered,
} from '@outdial/webhooks';
import { sql } from 'kysely';
import { afterAll } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { startReceiver, type Receiver } from './receiver.ts';

export interface WebhookWorld {
  db: Db;
  /** A separate organization with a receiver, and an endpoint for it. */
  endpoint: (options?: { events?: string[]; url?: string }) => Promise<TestEndpoint>;
  /** Moves the engine's clock. */
  advance: (seconds: number) => Promise<void>;
}

export interface TestEndpoint {
  organizationId: string;
  endpointId: string;
  receiver: Receiver;
  /** Writes events like the engine, in one transaction, and numbers them. `subjectId` is a recipient. */
  happened: (...events: Array<{ type: string; subjectId?: string; data?: object }>) => Promise<void>;
  /** Runs one batch of the sender. */
  deliver: (options?: Partial<Pick<DeliverDeps, 'leases' | 'giveWay'>>) => Promise<Delivered>;
  leasedUntil: () => Promise<Array<Date | null>>;
  deliveries: () => Promise<
    Array<{ status: string; attempts: number; error: string | null; next_attempt_at: Date | null }>
  >;
  row: () => Promise<{ enabled: boolean; disabled_reason: string | null; failing_since: Date | null }>;
}

/** Call it at the top of a test file. */
export async function webhookWorld({ allowPrivateTargets = true } = {}): Promise<WebhookWorld> {
  const database = await createTestDatabase();
  const db = connect({ databaseUrl: database.databaseUrl, applicationName: 'webhooks-test' });
  const client = createWebhookClient({ allowPrivateTargets });
  afterAll(async () => {
    client.close();
    await db.destroy();
    await database.drop();
  });
  const deps = {
    db,
    client,
    giveWay: createGiveWay(),
    random: () => 0,
    log: { warn: () => undefined },
    onAttempt: () => undefined,
  };

  async function endpoint({
    events = ['*'],
    url,
  }: { events?: string[]; url?: string } = {}): Promise<TestEndpoint> {
    const receiver = await startReceiver();
    receiver.secret = newSigningSecret();
    const organizationId = await createOrganization(db, { name: 'Acme' });
    const row = await inTransaction(db, (tx) =>
      createWebhookEndpoint(tx, {
        organizationId,
        url: url ?? receiver.url,
        events,
        description: '',
        enabled: true,
        secret: receiver.secret,
        atMost: 20,
      }),
    );
    if (row === null) throw new Error('the endpoint was not created');
    const endpointId = row.id;
    return {
      organizationId,
      endpointId,
      receiver,
      async happened(...happened) {
        const now = await engineNow(db);
        for (const { type, subjectId, data = {} } of happened) {
          await sql`
            insert into outbox (organization_id, type, recipient_id, campaign_id, data, created_at)
            values (${organizationId}, ${type}, ${subjectId ?? null}, ${subjectId ?? null}, ${JSON.stringify(data)}, ${now})`.execute(
            db,
          );
        }
        await placeEvents(db, { limit: 1_000 });
      },
      deliver: (options) =>
        deliverEndpoint({ ...deps, ...options }, { endpointId, signal: new AbortController().signal }),
      leasedUntil: async () =>
        (
          await db
            .selectFrom('webhook_deliveries')
            .select('leased_until')
            .where('endpoint_id', '=', endpointId)
            .orderBy('position')
            .execute()
        ).map((row) => row.leased_until),
      deliveries: () =>
        db
          .selectFrom('webhook_deliveries')
          .select(['status', 'attempts', 'error', 'next_attempt_at'])
          .where('endpoint_id', '=', endpointId)
          .orderBy('position')
          .execute(),
      row: () =>
        db
          .selectFrom('webhook_endpoints')
          .select(['enabled', 'disabled_reason', 'failing_since'])
          .where('id', '=', endpointId)
          .executeTakeFirstOrThrow(),
    };
  }

  return {
    db,
    endpoint,
    async advance(seconds) {
      await sql`update engine_clock set offset_ms = offset_ms + ${seconds * 1000}`.execute(db);
    },
  };
}
