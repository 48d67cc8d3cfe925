import { placeCallJob } from '@outdial/contracts';
import { onJob, openConsumer, openPublisher, type QueueBackendConfig } from '@outdial/queues';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { queueBackends } from '../support/queues.ts';
import { startRedisPair } from '../support/redis/redis-pair.ts';
import { freshBackend } from './queues.backends.ts';
import { CuttableWire, eventually, placeCallPayload, recordingLog } from './queues.world.ts';

interface Failover {
  config: QueueBackendConfig;
  /** The server refuses writes, and keeps its connections. */
  demote(): Promise<void>;
  /** Its name leads to another, or to itself again, but its open connections stay what they are. */
  promoteOther(): Promise<void>;
  refusal: string;
}

async function redisFailover(): Promise<Failover> {
  const pair = await startRedisPair();
  onTestFinished(() => pair.stop());
  const [old, next] = pair.nodes;
  const wire = new CuttableWire(old.url);
  await wire.reconnect();
  onTestFinished(() => wire.cut());
  return {
    config: { kind: 'redis', url: wire.url },
    async demote() {
      await next.promote();
      await old.follow(next);
    },
    promoteOther() {
      wire.leadTo(next.url);
      return Promise.resolve();
    },
    refusal: 'READONLY',
  };
}

async function postgresFailover(): Promise<Failover> {
  const { config, url, dispose } = await freshBackend('postgres');
  onTestFinished(dispose);
  const name = new URL(url).pathname.slice(1);
  async function run(...statements: string[]) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }
  return {
    config,
    demote: () =>
      run(
        `alter database ${name} set default_transaction_read_only = on`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
      ),
    promoteOther: () =>
      run(
        'set default_transaction_read_only = off',
        `alter database ${name} reset default_transaction_read_only`,
      ),
    refusal: 'read-only transaction',
  };
}

describe.each(queueBackends())('a demoted %s', (kind) => {
  test('is left for the new primary: ping names the fault, jobs flow again, and the log has one loss and one return for each side', async () => {
    const failover = await (kind === 'redis' ? redisFailover() : postgresFailover());
    const log = recordingLog();
    const handled = new Set<string>();
    const publisher = openPublisher(failover.config, { log });
    const handler = onJob({
      job: placeCallJob,
      concurrency: 5,
      handle({ call_id: callId }) {
        handled.add(callId);
        return Promise.resolve();
      },
    });
    const consumer = openConsumer(failover.config, { log }, [handler]);
    onTestFinished(async () => {
      await consumer.close({ drainMs: 500 });
      await publisher.close();
    });
    const succeeds = (act: () => Promise<unknown>) =>
      eventually(() =>
        act().then(
          () => true,
          () => false,
        ),
      );
    async function roundTrip() {
      const payload = placeCallPayload();
      await succeeds(() => publisher.publish(placeCallJob, payload));
      await eventually(() => handled.has(payload.call_id));
    }
    await roundTrip();
    await publisher.ping();

    await failover.demote();
    const refused = async () => {
      const error: unknown = await publisher.ping().catch((cause: unknown) => cause);
      return error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
    };
    await eventually(async () => (await refused()).includes(failover.refusal));
    expect(await refused()).toContain(failover.refusal);

    await failover.promoteOther();
    await roundTrip();
    await succeeds(() => publisher.ping());
    const said = (word: string) => log.lines.filter(({ message }) => message.includes(word)).length;
    // Its connection ends, the next one is refused, and one that was opened before the promotion may be too. Without a watch, each try would say so.
    expect(said('lost')).toBeLessThanOrEqual(6);
    await eventually(() => said('is back') === said('lost'));
  });
});

test.runIf(queueBackends().includes('redis'))(
  'a new primary that has no memory left at first is used when it has some',
  async () => {
    const pair = await startRedisPair();
    onTestFinished(() => pair.stop());
    const [old, next] = pair.nodes;
    const wire = new CuttableWire(old.url);
    await wire.reconnect();
    onTestFinished(() => wire.cut());
    const publisher = openPublisher({ kind: 'redis', url: wire.url }, { log: recordingLog() });
    onTestFinished(() => publisher.close());
    const answers = () =>
      publisher.ping().then(
        () => true,
        () => false,
      );
    await eventually(answers);

    await next.promote();
    await next.client().config('SET', 'maxmemory', '1');
    await old.follow(next);
    wire.leadTo(next.url);
    await eventually(async () => {
      await answers();
      return (await next.client().info('errorstats')).includes('errorstat_OOM');
    });
    await next.client().config('SET', 'maxmemory', '0');
    await eventually(answers);
    await expect(publisher.publish(placeCallJob, placeCallPayload())).resolves.toBeUndefined();
  },
);
