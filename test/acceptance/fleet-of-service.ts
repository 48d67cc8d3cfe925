import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, engineNow, setProvider, type Db } from '@outdial/db';
import { freePort } from '@outdial/local';
import { prepareQueueBackend } from '@outdial/queues';
import { onTestFinished } from 'vitest';
import { createFleet, type Fleet, type Member } from '../chaos/stack/fleet.ts';
import { createTestDatabase } from '../support/database.ts';
import { makeOrganization, type TestOrganization } from '../support/stack/organization.ts';
import { waitFor } from '../support/stack/wait-for.ts';

/** The service as operators run it: separate processes and a separate database. */
export interface RunningService {
  baseUrl: string;
  db: Db;
  fleet: Fleet;
  organization: TestOrganization;
}

/** Starts api, scheduler and two workers, on the simulator unless the `given` variables say otherwise. Stops them after the test. */
export async function runService(given: Record<string, string> = {}): Promise<RunningService> {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-acceptance-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const { databaseUrl } = database;
  await prepareQueueBackend({ kind: 'postgres', url: databaseUrl });
  const db = connect({ databaseUrl, applicationName: 'acceptance', poolMax: 2 });
  onTestFinished(() => db.destroy());
  const now = await engineNow(db);
  await setProvider(db, { name: 'simulator', changes: { adapter: 'simulator' }, now });
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_MAX: '5',
    TELEPHONY_PROVIDER: 'simulator',
    SIMULATOR_RING_MS: '100',
    SIMULATOR_TALK_MS: '200',
    RATE_LIMITS: 'off',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    LOG_LEVEL: 'warn',
    ...given,
  };
  const members: Member[] = [
    { name: 'api', program: 'api/src/main.ts', env: { ...env, PORT: String(port) } },
  ];
  for (const name of ['scheduler', 'worker-1', 'worker-2']) {
    const program = `${name.replace(/-\d$/, '')}/src/main.ts`;
    members.push({ name, program, env: { ...env, HEALTH_PORT: String(await freePort()) } });
  }
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const fleet = createFleet({ root, folder, members });
  onTestFinished(() => fleet.stopAll());
  for (const { name } of members) fleet.start(name);
  const organization = await makeOrganization(db, { baseUrl, now, change: { timezone: 'UTC' } });
  const isReady = () =>
    fetch(`${baseUrl}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
  // Four processes start at the same time.
  await waitFor('the api to be ready', isReady);
  return { baseUrl, db, fleet, organization };
}
