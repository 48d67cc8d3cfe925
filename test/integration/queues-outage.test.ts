import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { advanceCampaignJob, placeCallJob } from '@outdial/contracts';
import { openPublisher, type QueueBackendConfig, QueueUnavailableError } from '@outdial/queues';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { queueBackends } from '../support/queues.ts';
import { dropKeys, freshBackend } from './queues.backends.ts';
import { openWired } from './queues.wired.ts';
import { CuttableWire, eventually, placeCallPayload, recordingLog } from './queues.world.ts';

const cleanups: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) {
    await cleanup();
  }
});

const setup = (kind: QueueBackendConfig['kind']) =>
  openWired(kind, (...added) => void cleanups.push(...added));

describe.each(queueBackends())('an outage of %s', (kind) => {
  test('ends without help: jobs flow again, and the log has one line for the loss and one for the return', async () => {
    const { wire, log, publisher, roundTrip, atRest } = await setup(kind);
    await roundTrip();
    // A job whose end the outage interrupts would be run again, with a line of its own.
    await atRest();
    await wire.cut();
    await expect(publisher.publish(placeCallJob, placeCallPayload())).rejects.toThrow(QueueUnavailableError);
    await wire.reconnect();
    await eventually(async () =>
      publisher.publish(placeCallJob, placeCallPayload()).then(
        () => true,
        () => false,
      ),
    );
    await roundTrip();
    const said = (words: string) => log.lines.filter(({ message }) => message.includes(words));
    await eventually(() => said('is back').length === said('lost').length);
    const [losses, returns] = [said('lost'), said('is back')];
    // The publisher and the consumer have separate connections.
    expect(losses.length).toBeLessThanOrEqual(2);
    expect(log.lines.filter((line) => !losses.includes(line) && !returns.includes(line))).toEqual([]);
  });

  test('does not block publishers: each gets an error that the queue is down', async () => {
    const { wire, publisher, roundTrip } = await setup(kind);
    await roundTrip();
    await wire.cut();
    await expect(publisher.publish(placeCallJob, placeCallPayload())).rejects.toThrow(QueueUnavailableError);
    await Promise.all(
      Array.from({ length: 50 }, () =>
        expect(publisher.publish(placeCallJob, placeCallPayload())).rejects.toThrow(QueueUnavailableError),
      ),
    );
  });

  test('at the start is not permanent', async () => {
    const { config, url, dispose } = await freshBackend(kind);
    const wire = new CuttableWire(url);
    await wire.reconnect();
    await wire.cut();
    const publisher = openPublisher({ ...config, url: wire.url }, { log: recordingLog() });
    cleanups.push(
      dispose,
      () => wire.cut(),
      () => publisher.close(),
    );
    await expect(publisher.publish(placeCallJob, placeCallPayload())).rejects.toThrow(QueueUnavailableError);
    await wire.reconnect();
    await eventually(async () =>
      publisher.publish(placeCallJob, placeCallPayload()).then(
        () => true,
        () => false,
      ),
    );
  });

  test('everything that was opened is closed again, so the process can exit', async () => {
    const { config, dispose } = await freshBackend(kind);
    cleanups.push(dispose);
    const script = fileURLToPath(new URL('queues.exits.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(config)], {
      timeout: 120_000,
    });
    expect(stdout).toBe('closed\n');
  });
});

test('a server that accepts connections and never answers does not block a publisher', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const publisher = openPublisher(
    { kind: 'redis', url: `redis://127.0.0.1:${port}` },
    { log: recordingLog() },
  );
  cleanups.push(
    async () => void silent.close(),
    () => publisher.close(),
  );
  await expect(publisher.publish(placeCallJob, placeCallPayload())).rejects.toThrow(QueueUnavailableError);
});

describe.runIf(queueBackends().includes('redis'))('a Redis that lost its data', () => {
  test('takes jobs again, including those of a campaign with a lost advance, and the workers continue', async () => {
    const { config, url, log, publisher, handled, roundTrip } = await setup('redis');
    await roundTrip();
    const campaignId = randomUUID();
    for (let times = 0; times < 3; times += 1) {
      handled.delete(campaignId);
      await dropKeys(url, config.kind === 'redis' ? (config.prefix ?? '') : '');
      await publisher.publish(advanceCampaignJob, { campaign_id: campaignId });
      await eventually(() => handled.has(campaignId));
      await roundTrip();
    }
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('connections to Postgres', () => {
  test('are few, and the queues recover if all of them are killed', async () => {
    const { url, roundTrip } = await setup('postgres');
    await roundTrip();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    cleanups.push(() => admin.end());
    const { rows } = await admin.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'outdial-queues' AND datname = current_database()`,
    );
    // Two in the publisher's pool, four in the consumer's, and one listener. Other tests may use another database.
    expect(rows.length).toBeLessThanOrEqual(7);
    await admin.query(`SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid`, [
      rows.map(({ pid }) => pid),
    ]);
    await eventually(async () =>
      roundTrip().then(
        () => true,
        () => false,
      ),
    );
  });
});
