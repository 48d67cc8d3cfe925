import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, findCampaignProgress, migrateToLatest } from '@outdial/db';
import { freePort } from '@outdial/local';
import { expect, onTestFinished, test } from 'vitest';
import type { Behaviour } from '../../chaos/gateway/behaviour.ts';
import { startRecordingGateway } from '../../chaos/gateway/recording-gateway.ts';
import { createTestDatabase } from '../../support/database.ts';
import { isFullRun } from '../../support/full-run.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { firstRelease, unpackRelease } from './release-of-history.ts';
import { releaseIn, type Release, type ReleaseProcess } from './release-processes.ts';

const commit = await firstRelease();
const people = 150;

/** A carrier whose calls take a moment, so that some are always in progress. */
const calm: Behaviour = {
  post: () => ({ kind: 'accept', answerAfterMs: 20 }),
  script: () => ({
    ringMs: 50,
    talkMs: 300,
    outcome: 'completed',
    delivery: () => ({ times: 1, delaysMs: [0] }),
  }),
};

const numbersOf = (area: string, count: number) =>
  Array.from({ length: count }, (_, n) => `+1555${area}${String(n).padStart(4, '0')}`);

/** Runs a campaign with the command line of a release. Returns its id. */
function campaignFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string, lines: readonly string[]) => {
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
    return join(folder, name);
  };
  const agent = file('agent.yaml', ['name: Caller', 'prompts:', '  - prompt: Hello.']);
  return {
    agent,
    start(release: Release, numbers: readonly string[]) {
      const list = file(`${numbers.length}.csv`, ['phone', ...numbers]);
      const what = ['--csv', list, '--name', 'Reminders', '--agent', 'Caller', '--status', 'running'];
      return release.outdial(
        'campaign',
        'create',
        ...what,
        '--call-on-weekend',
        '--max-concurrent-calls',
        '3',
      );
    },
  };
}

const ready = (processes: readonly ReleaseProcess[]) =>
  waitFor(
    'the processes to be ready',
    async () =>
      (await Promise.all(processes.map(async (each) => each.readiness()))).every((answer) =>
        answer.startsWith('200'),
      ),
    { withinMs: 120_000 },
  );

// Nine processes start one after the other, which takes too long for `npm test`.
test.runIf(commit !== null && isFullRun)(
  'the first release dials while every migration runs, hands its campaign over in the order of the manual, and can come back, and calls each person once',
  { timeout: 600_000 },
  async () => {
    const gateway = await startRecordingGateway(calm);
    onTestFinished(() => gateway.close());
    const database = await createTestDatabase({ migrated: false });
    onTestFinished(() => database.drop());
    const { databaseUrl } = database;
    const port = await freePort();
    const settings = {
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_MAX: '8',
      TELEPHONY_PROVIDER: 'gateway',
      GATEWAY_URL: gateway.url,
      GATEWAY_SECRET: gateway.secret,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      HOST: '127.0.0.1',
      // The longest wait for a worker that was killed.
      LEASE_SECONDS: '3',
    };
    const old = releaseIn(await unpackRelease(String(commit)), settings);
    const now = releaseIn(fileURLToPath(new URL('../../../', import.meta.url)), settings);
    const files = campaignFiles();
    await old.outdial('migrate');
    const organizationId = await old.outdial('org', 'create', 'Acme');
    const admin = 'ada@example.com --first-name Ada --last-name Admin --role admin';
    await old.outdial('user', 'create', ...admin.split(' '));
    await old.outdial('agent', 'import', files.agent);
    const oldApi = await old.start('api', port);
    const oldScheduler = await old.start('scheduler');
    const oldWorkers = [await old.start('worker'), await old.start('worker')];
    // The first release's workers write the provider's row when they start.
    await ready([oldApi, oldScheduler, ...oldWorkers]);
    const numbers = numbersOf('200', people);
    const campaignId = await files.start(old, numbers);
    const dialed = () => gateway.calls.size;
    const dialsOn = (what: string) => {
      const before = dialed();
      return waitFor(what, () => dialed() > before + 10, { withinMs: 120_000 });
    };
    await dialsOn('the first release to dial');

    const beforeMigrations = dialed();
    const startedAt = performance.now();
    const migrating = migrateToLatest({ databaseUrl });
    // One worker is killed during the migrations.
    await oldWorkers[0]?.kill();
    const ran = await migrating;
    const tookMs = performance.now() - startedAt;
    const afterMigrations = dialed();
    await dialsOn('the first release to dial on');

    const newScheduler = await now.start('scheduler');
    await oldApi.stop();
    const newApi = await now.start('api', port);
    await oldScheduler.stop();
    const newWorker = await now.start('worker');
    await ready([newApi, newScheduler, newWorker]);
    const together = dialed();
    await dialsOn('both releases to dial');
    await oldWorkers[1]?.stop();
    const handedOver = dialed();
    expect(handedOver).toBeLessThan(people);

    const db = connect({ databaseUrl, poolMax: 2, applicationName: 'test' });
    onTestFinished(() => db.destroy());
    const finished = (id: string) =>
      waitFor(
        'the campaign to finish',
        async () =>
          (await findCampaignProgress(db, { organizationId, campaignId: id }))?.status === 'finished',
        { withinMs: 240_000 },
      );
    await finished(campaignId);

    // Downgrades as the manual says: starts the processes of the earlier release on the migrated database.
    await Promise.all([newApi.stop(), newScheduler.stop(), newWorker.stop()]);
    await ready([await old.start('api', port), await old.start('scheduler'), await old.start('worker')]);
    const others = numbersOf('300', 30);
    await finished(await files.start(old, others));

    process.stdout.write(
      `${ran.length} migrations in ${Math.round(tookMs)} ms: ${beforeMigrations} calls before, ${afterMigrations - beforeMigrations} meanwhile, ` +
        `${together - afterMigrations} by the first release after them, ${handedOver - together} by both, ${people - handedOver} by this one\n`,
    );
    const dials = Map.groupBy(gateway.calls.values(), ({ toPhone }) => toPhone);
    const all = [...numbers, ...others];
    expect(all.filter((number) => dials.get(number)?.length !== 1)).toEqual([]);
    expect(dials.size).toBe(all.length);
    expect(gateway.unsigned).toEqual([]);
  },
);
