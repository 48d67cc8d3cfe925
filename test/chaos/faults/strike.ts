import { setTimeout as sleep } from 'node:timers/promises';
import { again } from '../stack/again.ts';
import type { FaultField, FaultKind, PlannedFault } from './fault.ts';

interface FaultCounts {
  struck: Map<FaultKind, number>;
  /** The target or the run had already ended. */
  missed: Map<FaultKind, number>;
}

export interface FaultRun {
  counts: FaultCounts;
  /** Faults that could not be injected, which makes the run meaningless. */
  failures: string[];
  /** All faults of the schedule are over. */
  readonly isOver: boolean;
  /** Starts no more faults. Resolves when the current ones are over and everything runs again. */
  stop(): Promise<void>;
}

/** Injects the faults of a schedule during the run. */
export function runFaults(
  field: FaultField,
  faults: readonly PlannedFault[],
  say: (line: string) => void,
): FaultRun {
  const counts: FaultCounts = { struck: new Map(), missed: new Map() };
  const failures: string[] = [];
  const stopped = new AbortController();
  const inFlight = new Set<Promise<void>>();
  const turns = new Map<string, Promise<void>>();
  const beganAt = performance.now();
  let left = faults.length;

  /** Each target has one fault at a time. Later faults wait, so that every kind occurs. */
  async function alone(target: string, work: () => Promise<void>): Promise<boolean> {
    const before = turns.get(target);
    const turn = Promise.withResolvers<void>();
    turns.set(target, turn.promise);
    await before;
    try {
      if (stopped.signal.aborted) return false;
      await work();
      return true;
    } finally {
      turn.resolve();
    }
  }

  async function strike(fault: PlannedFault): Promise<void> {
    try {
      const struck = await carryOut(field, fault, alone);
      const which = struck ? counts.struck : counts.missed;
      which.set(fault.kind, (which.get(fault.kind) ?? 0) + 1);
    } catch (error) {
      failures.push(`${fault.kind}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async function follow(): Promise<void> {
    for (const fault of faults) {
      const waitMs = Math.max(0, fault.atMs - (performance.now() - beganAt));
      await sleep(waitMs, null, { signal: stopped.signal }).catch(() => null);
      if (stopped.signal.aborted) return;
      say(`${((performance.now() - beganAt) / 1000).toFixed(1)} s: ${fault.kind} for ${fault.durationMs} ms`);
      const work = strike(fault).finally(() => {
        left -= 1;
        inFlight.delete(work);
      });
      inFlight.add(work);
    }
  }
  const following = follow();
  return {
    counts,
    failures,
    get isOver() {
      return left === 0;
    },
    async stop() {
      stopped.abort();
      await following;
      await Promise.all(inFlight);
    },
  };
}

type Alone = (target: string, work: () => Promise<void>) => Promise<boolean>;

async function carryOut(field: FaultField, fault: PlannedFault, alone: Alone): Promise<boolean> {
  const { fleet, redis, postgres, gateway } = field.stack;
  const { durationMs } = fault;
  const worker = `worker-${(fault.target % field.workers) + 1}`;
  const killAndRestart = (name: string) =>
    alone(name, async () => {
      await fleet.kill(name);
      await sleep(durationMs);
      fleet.start(name);
    });
  switch (fault.kind) {
    case 'kill-worker':
      return killAndRestart(worker);
    case 'kill-scheduler':
      return killAndRestart('scheduler');
    case 'kill-api':
      return killAndRestart('api');
    case 'suspend-worker':
      return alone(worker, async () => {
        fleet.suspend(worker);
        await sleep(durationMs);
        fleet.resume(worker);
      });
    case 'redis-kill':
      return alone('redis', () => redis.killAndRestart(durationMs));
    case 'redis-loses-everything':
      return alone('redis', () => redis.loseEverything(durationMs));
    case 'redis-flush':
      return alone('redis', () => redis.flush());
    case 'postgres-crash':
      return alone('postgres', () => postgres.crashAndRestart());
    case 'gateway-outage':
      return alone('gateway', async () => {
        gateway.isDown = true;
        await sleep(durationMs);
        gateway.isDown = false;
      });
    case 'pause-and-resume': {
      const campaign = field.campaigns[fault.target % field.campaigns.length];
      if (!campaign) return false;
      return field.pauses.pauseFor(field.stack, campaign.id, () => sleep(durationMs));
    }
    case 'power-cut': {
      const cut = await Promise.all([
        ...fleet.names.map((name) => killAndRestart(name)),
        alone('redis', () => redis.killAndRestart(durationMs)),
        alone('postgres', () => again('restart Postgres', () => postgres.crashAndRestart())),
      ]);
      return cut.some(Boolean);
    }
    default:
      return field.requests.make(field.stack, fault.kind, durationMs);
  }
}
