import { readFileSync, writeFileSync } from 'node:fs';
import { ensureProvider } from '@outdial/db';
import { openBed } from '../bench/engine/bed.ts';
import type { Started, World } from '../bench/engine/world.ts';
import { openTenant, type Tenant } from './tenant.ts';

/** The service in separate processes, as installed, with two organizations that share it. */
export interface AttackWorld {
  api: Started;
  /** At its health port. */
  worker: Started;
  db: World['db'];
  attacker: Tenant;
  neighbour: Tenant;
  /** A third organization, whose campaigns are made by this process and so are subject to no rate limit. */
  third: World;
  /** Lines of the logs so far, of Postgres and of every process, that name a person by address or telephone number. */
  personalLines: () => string[];
}

/** The addresses and the numbers of the tenants' people. */
const namesPerson = /@example\.com|(?:\+|%2B)1555\d{7}/;

export interface OpenedWorld {
  /** Creates two tenants, and resets the peak memory of the processes. */
  tenants(): Promise<AttackWorld>;
  /** The most memory that a process had at any moment, in MB. */
  peaks(): Record<string, number>;
  /** Names of processes that have ended. */
  ended(): string[];
  close(): Promise<void>;
}

/** A provider with four lines, which both tenants want. The default simulator has no cap. */
export const sharedProvider = 'shared';

/** Two gateway providers, each with its secret. No gateway process runs. */
export const gateways = {
  attackers: { name: 'attackers', secret: secretOf('of the gateway of the attackers') },
  neighbours: { name: 'neighbours', secret: secretOf('of the gateway of the neighbour') },
} as const;

/** For signing tokens that the api accepts. */
const signing = {
  secret: 'a-secret-for-attacks-of-32-characters',
  issuer: 'attacks',
  audience: 'outdial',
};

const operators = { OPS_USER: 'operator', OPS_PASSWORD: 'a-password-of-operators' };

export async function openAttackWorld(settings: Readonly<Record<string, string>>): Promise<OpenedWorld> {
  const bed = await openBed();
  try {
    const world = await bed.world('postgres');
    await openProviders(world.db);
    const processes: Record<string, Started> = {};
    const personal: string[] = [];
    const readLine = (line: string) => {
      if (namesPerson.test(line)) personal.push(line);
    };
    for (const name of ['api', 'scheduler', 'worker']) {
      const env = {
        ...operators,
        JWT_SECRET: signing.secret,
        JWT_ISSUER: signing.issuer,
        JWT_AUDIENCE: signing.audience,
        GATEWAY_SECRET_ATTACKERS: gateways.attackers.secret,
        GATEWAY_SECRET_NEIGHBOURS: gateways.neighbours.secret,
        PUBLIC_URL: 'http://127.0.0.1:9',
        LOG_LEVEL: 'info',
        SIMULATOR_TALK_MS: '200',
        RATE_LIMITS: 'on',
        ...settings,
      };
      processes[name] = await world.startReady(`${name}/src/main.ts`, env, readLine);
    }
    const { api, worker } = processes;
    if (api === undefined || worker === undefined) throw new Error('a process is missing');
    return {
      async tenants() {
        for (const { pid } of Object.values(processes)) resetPeak(pid);
        return {
          api,
          worker,
          db: world.db,
          attacker: await openTenant(world.db, api.url),
          neighbour: await openTenant(world.db, api.url),
          third: world,
          personalLines: () => [
            ...personal,
            ...bed
              .postgresLog()
              .split('\n')
              .filter((line) => namesPerson.test(line)),
          ],
        };
      },
      peaks: () => perProcess(processes, (pid) => peakMegabytes(pid)),
      ended: () => Object.keys(processes).filter((name) => !isRunning(processes[name]?.pid)),
      async close() {
        await world.close();
        await bed.close();
      },
    };
  } catch (error) {
    await bed.close();
    throw error;
  }
}

function perProcess(
  processes: Readonly<Record<string, Started>>,
  measure: (pid: number) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(processes).map(([name, { pid }]) => [name, measure(pid)]));
}

/** https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html */
function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The process has ended, which `ended` reports, or its peak includes earlier memory.
  }
}

/** From VmHWM (https://man7.org/linux/man-pages/man5/proc_pid_status.5.html). Infinite for a process that has ended. */
function peakMegabytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function isRunning(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function openProviders(db: World['db']): Promise<void> {
  await ensureProvider(db, { name: sharedProvider, adapter: 'simulator' });
  await db.updateTable('providers').set({ max_lines: 4 }).where('name', '=', sharedProvider).execute();
  for (const { name } of Object.values(gateways)) {
    await ensureProvider(db, { name, adapter: 'gateway' });
    const settings = JSON.stringify({
      url: 'http://127.0.0.1:9',
      secret_env: `GATEWAY_SECRET_${name.toUpperCase()}`,
    });
    await db.updateTable('providers').set({ settings }).where('name', '=', name).execute();
  }
}

function secretOf(words: string): string {
  return `whsec_${Buffer.from(words.padEnd(32, '.')).toString('base64')}`;
}
