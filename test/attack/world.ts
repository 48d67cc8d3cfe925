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

/** A gateway provider. No gateway process runs. */
export const gatewayProvider = 'signed';
const gatewaySecret = `whsec_${Buffer.from('of the gateway of the attackers.').toString('base64')}`;

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
        GATEWAY_SECRET_SIGNED: gatewaySecret,
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
          personalLines: () => [
            ...personal,
            ...bed
              .postgresLog()
              .split('\n')
              .filter((line) => namesPerson.test(line)),
          ],
        };
      },
      peaks: () =>
        Object.fromEntries(Object.entries(processes).map(([name, { pid }]) => [name, peakMegabytes(pid)])),
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
  await ensureProvider(db, { name: gatewayProvider, adapter: 'gateway' });
  const settings = JSON.stringify({ url: 'http://127.0.0.1:9', secret_env: 'GATEWAY_SECRET_SIGNED' });
  await db.updateTable('providers').set({ settings }).where('name', '=', gatewayProvider).execute();
}
