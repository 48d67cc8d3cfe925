import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, createApiKey, type Db, engineNow, setProvider } from '@outdial/db';
import { freePort } from '@outdial/local';
import { prepareQueueBackend } from '@outdial/queues';
import { createFleet, type Fleet, type Member } from '../../chaos/stack/fleet.ts';
import { makeOrganization, type TestOrganization } from '../stack/organization.ts';
import { waitFor } from '../stack/wait-for.ts';
import { linesAtOnce } from './trunk-recipients.ts';
import { quickDetection } from './trunk-programs.ts';

export const callerId = '+15550001111';
const ringTimeoutSeconds = 5;
const startTimeoutMs = 120_000;

/** Runs api, scheduler and workers as processes, with an organization that calls over the trunk. */
export interface TrunkService {
  db: Db;
  fleet: Fleet;
  organization: TestOrganization;
  baseUrl: string;
  viewerKey: string;
  errors: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** Rejects with the last output of the processes if they do not start. */
export async function startTrunkService(args: {
  databaseUrl: string;
  folder: string;
  asterisk: { url: string; user: string; password: string };
  workers?: number;
  /** The settings of the trunk's provider row. */
  settings?: Record<string, string>;
  /** The environment of all processes. */
  env?: Record<string, string>;
  /** Processes in addition to api, scheduler and workers. */
  further?: readonly Member[];
}): Promise<TrunkService> {
  const { databaseUrl, asterisk, workers = 2, further = [] } = args;
  const settings = args.settings ?? { machine_detection: quickDetection, caller_id: callerId };
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    DATABASE_URL: databaseUrl,
    TELEPHONY_PROVIDER: 'asterisk',
    ASTERISK_URL: asterisk.url,
    ASTERISK_USER: asterisk.user,
    ASTERISK_PASSWORD: asterisk.password,
    ASTERISK_ENDPOINT: 'PJSIP/{number}@trunk',
    ASTERISK_RUNTIME: 'talk@agents',
    PUBLIC_URL: baseUrl,
    RING_TIMEOUT_SECONDS: String(ringTimeoutSeconds),
    MAX_CALL_SECONDS: '60',
    LOG_LEVEL: 'info',
    ...args.env,
  };
  const members = [
    { name: 'api', program: 'api/src/main.ts', env: { ...env, PORT: String(port) } },
    { name: 'scheduler', program: 'scheduler/src/main.ts', env },
    ...Array.from({ length: workers }, (_, n) => ({
      name: `worker-${n + 1}`,
      program: 'worker/src/main.ts',
      env,
    })),
    ...further.map((member) => ({ ...member, env: { ...env, ...member.env } })),
  ];
  const db = connect({ databaseUrl, poolMax: 2, applicationName: 'trunk-campaign' });
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const fleet = createFleet({ root, folder: args.folder, members });
  const stop = async () => {
    await fleet.stopAll();
    await db.destroy();
  };
  try {
    await prepareQueueBackend({ kind: 'postgres', url: databaseUrl });
    const now = await engineNow(db);
    await setProvider(db, { name: 'asterisk', changes: { maxLines: linesAtOnce, settings }, now });
    const organization = await makeOrganization(db, { baseUrl, now, change: { timezone: 'UTC' } });
    for (const { name } of members) fleet.start(name);
    await waitFor(
      'the api to answer',
      async () => (await fetch(`${baseUrl}/readyz`).catch(() => null))?.ok ?? false,
      { withinMs: startTimeoutMs },
    );
    const { key } = await createApiKey(db, {
      organizationId: organization.id,
      userId: organization.users.viewer.id,
      name: 'records',
      role: 'viewer',
    });
    return { db, fleet, organization, baseUrl, viewerKey: key, errors: fleet.errors, stop };
  } catch (error) {
    await stop();
    throw new Error(`the service did not start:\n${lastLines(args.folder)}`, { cause: error });
  }
}

/** The last output of the processes, to explain a failure. */
function lastLines(folder: string): string {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8').split('\n').slice(-4).join('\n')}`)
    .join('\n');
}
