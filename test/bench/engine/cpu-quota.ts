import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** CPU quotas that make each process run as on a small machine. */
export interface CpuQuotas {
  /** Applies the quota to the process and all its threads. */
  limit(pid: number): void;
  /** Call this after the processes have ended. */
  remove(): void;
}

/** The kernel's default. In a shorter period, the kernel's time slices would exceed the quota. */
const periodMicroseconds = 100_000;

/** Null if this user cannot create control groups. Uses version 2 (https://docs.kernel.org/admin-guide/cgroup-v2.html) or version 1. */
export function openCpuQuotas(ofACore: number): CpuQuotas | null {
  const quota = Math.round(periodMicroseconds * ofACore);
  return (
    tryGroups('/sys/fs/cgroup', (folder) => {
      writeFileSync(join(folder, 'cpu.max'), `${quota} ${periodMicroseconds}`);
    }) ??
    tryGroups('/sys/fs/cgroup/cpu', (folder) => {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodMicroseconds));
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
    })
  );
}

function tryGroups(parent: string, setQuota: (folder: string) => void): CpuQuotas | null {
  const made: string[] = [];
  function add(name: string): string {
    const folder = join(parent, `outdial-bench-${process.pid}-${name}`);
    mkdirSync(folder);
    made.push(folder);
    setQuota(folder);
    return folder;
  }
  function remove(): void {
    for (const folder of made.splice(0)) {
      try {
        rmdirSync(folder);
      } catch {
        // A process that is still in it; the group is empty, and gone, after the machine's next start.
      }
    }
  }
  try {
    readFileSync(join(add('probe'), 'cgroup.procs'));
  } catch {
    remove();
    return null;
  }
  return {
    limit(pid) {
      writeFileSync(join(add(String(pid)), 'cgroup.procs'), String(pid));
    },
    remove,
  };
}
