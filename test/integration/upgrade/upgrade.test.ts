import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connect, findCampaignProgress, migrateToLatest } from '@outdial/db';
import { freePort } from '@outdial/local';
import { prepareQueueBackend } from '@outdial/queues';
import { expect, onTestFinished, test } from 'vitest';
import { childEnvironment } from '../../support/child-environment.ts';
import { createTestDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { migrateToFirstRelease, seedRunningCampaign } from './first-release.ts';

/** A process of this version. */
async function startProcess(service: 'scheduler' | 'worker', databaseUrl: string) {
  const port = String(await freePort());
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL(`../../../${service}/src/main.ts`, import.meta.url))],
    {
      env: {
        ...childEnvironment,
        DATABASE_URL: databaseUrl,
        TELEPHONY_PROVIDER: 'simulator',
        SIMULATOR_RING_MS: '5',
        SIMULATOR_TALK_MS: '5',
        HEALTH_PORT: port,
        LOG_LEVEL: 'fatal',
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return {
    async readiness() {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
      return answer === null ? '' : answer.text();
    },
  };
}

test(
  'a database of the first release with a running campaign becomes one of today, and no recipient is called twice or forgotten',
  {
    timeout: 90_000,
  },
  async () => {
    const database = await createTestDatabase({ migrated: false });
    onTestFinished(() => database.drop());
    const { databaseUrl } = database;
    await migrateToFirstRelease(databaseUrl);
    const campaign = await seedRunningCampaign(databaseUrl);
    const { numbers, ...key } = campaign;
    // During an upgrade, the new processes may start before the migrations.
    const processes = await Promise.all([
      startProcess('scheduler', databaseUrl),
      startProcess('worker', databaseUrl),
    ]);
    await waitFor('the new processes to wait', async () => {
      const words = await Promise.all(processes.map(async (each) => each.readiness()));
      return words.every((word) => word.includes('migrations have not run'));
    });
    await prepareQueueBackend({ kind: 'postgres', url: databaseUrl });
    const ran = await migrateToLatest({ databaseUrl });
    expect(ran[0]).toBe('0003_lines_where_capped');
    const db = connect({ databaseUrl, poolMax: 2, applicationName: 'test' });
    onTestFinished(() => db.destroy());
    await waitFor(
      'the campaign to finish',
      async () => {
        const row = await db
          .selectFrom('campaigns')
          .select('status')
          .where('id', '=', key.campaignId)
          .executeTakeFirstOrThrow();
        return row.status === 'finished';
      },
      { withinMs: 60_000 },
    );
    const rows = await db.selectFrom('calls').select(['phone_number', 'attempt', 'outcome']).execute();
    const callsTo = Map.groupBy(rows, (row) => row.phone_number);
    const counts = (list: string[]) => new Set(list.map((number) => callsTo.get(number)?.length ?? 0));
    expect({
      waiting: counts(numbers.waiting),
      reached: counts(numbers.reached),
      calledOnce: counts(numbers.calledOnce),
      claimed: counts(numbers.claimed),
    }).toEqual({
      waiting: new Set([1]),
      reached: new Set([1]),
      calledOnce: new Set([2]),
      claimed: new Set([1]),
    });
    const progress = await findCampaignProgress(db, key);
    expect(progress?.recipients).toMatchObject({
      total: 290,
      reached: 290,
      waiting: 0,
      retrying: 0,
      in_call: 0,
    });
  },
);
