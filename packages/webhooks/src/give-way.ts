import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** From this share of the machine's CPU time in use on, sending would take CPU time from calls. */
const busyFrom = 0.9;
/** The shortest time over which that share is measured. */
const measuredMs = 250;
/** The longest wait of a batch. A batch whose first event is older than `lateMs` does not wait, so that deliveries always continue. */
const waitAtMostMs = 2_000;
const lateMs = 30_000;
/** Fewer deliveries cost too little to be worth a delay. */
const largeFrom = 100;

interface Machine {
  now: () => number;
  /** CPU time of all cores since the machine started, in any unit. */
  readTimes: () => { total: number; idle: number };
  /** Resolves after `ms`, or when `signal` is aborted. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Batch {
  deliveries: number;
  /** The age of its oldest event. */
  ageMs: number;
  signal: AbortSignal;
}

export type GiveWay = (batch: Batch) => Promise<void>;

/** Lets dialing go first: resolves when the machine has time to send a large batch, at the latest after two seconds, or when `signal` is aborted. */
export function createGiveWay({ now, readTimes, wait }: Machine = thisMachine): GiveWay {
  let measured = { atMs: now(), ...readTimes(), busy: false };

  /** All batches of the process share one measurement. */
  function isBusy(): boolean {
    const atMs = now();
    if (atMs - measured.atMs < measuredMs) return measured.busy;
    const { total, idle } = readTimes();
    const busy = 1 - (idle - measured.idle) / Math.max(total - measured.total, 1) >= busyFrom;
    measured = { atMs, total, idle, busy };
    return busy;
  }

  return async ({ deliveries, ageMs, signal }) => {
    if (deliveries < largeFrom) return;
    for (let waitedMs = 0; waitedMs < waitAtMostMs && ageMs + waitedMs < lateMs; waitedMs += measuredMs) {
      if (signal.aborted || !isBusy()) return;
      await wait(measuredMs, signal);
    }
  };
}

const thisMachine: Machine = {
  now: () => performance.now(),
  readTimes() {
    const times = cpus().map((core) => core.times);
    const idle = times.reduce((sum, core) => sum + core.idle, 0);
    return {
      idle,
      total: times.reduce((sum, core) => sum + core.user + core.nice + core.sys + core.irq, idle),
    };
  },
  wait: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};
