import { readdirSync, readFileSync } from 'node:fs';
import type { Bed } from './bed.ts';
import type { Started } from './world.ts';

/** The unit of the kernel's processor times; 100 in a second on every Linux (proc(5), `_SC_CLK_TCK`). */
const ticksPerSecond = 100;

interface Seen {
  pid: number;
  parent: number;
  ticks: number;
}

/** Seconds of CPU time that a process has used, with all children that it has waited for. Reads /proc, so it throws on systems other than Linux. */
export function cpuSeconds(pid: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => look(Number(name)));
  let ticks = 0;
  const left = [pid];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const one of all) {
      if (one.pid === next) ticks += one.ticks;
      if (one.parent === next) left.push(one.pid);
    }
  }
  return ticks / ticksPerSecond;
}

/** Begins to measure: tells the seconds of CPU time since then, of the processes and of Postgres and Redis. */
export function startMeter({ servers }: Bed, processes: readonly Started[]): () => number {
  const pids = [servers.postgres, servers.redis, ...processes.map((one) => one.pid)];
  const used = () => pids.reduce<number>((total, pid) => total + (pid === null ? 0 : cpuSeconds(pid)), 0);
  const before = used();
  return () => used() - before;
}

/** Empty if the process has just ended. */
function look(pid: number): Seen[] {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  // The name is in brackets and may contain anything. The third field follows it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 15) return [];
  const at = (field: number) => Number(fields[field - 3]);
  return [{ pid, parent: at(4), ticks: at(14) + at(15) + at(16) + at(17) }];
}

/** Resident memory of a process, now and at its peak, in MB. */
export function memoryMb(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
  return { now: kilobytes('VmRSS') / 1024, peak: kilobytes('VmHWM') / 1024 };
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
