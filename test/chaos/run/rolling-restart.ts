import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckResult, Evidence } from '../checks/evidence.ts';
import { checks } from '../checks/index.ts';
import { calmBehaviour } from '../gateway/behaviour.ts';
import type { ChaosOptions } from '../options.ts';
import { again } from '../stack/again.ts';
import { startChaosStack, type ChaosStack } from '../stack/chaos-stack.ts';
import { everythingIsHeard } from '../webhooks/all-heard.ts';
import { startCampaigns } from './campaigns.ts';
import { listed } from './report.ts';
import { gather, limitsOf, say, untilFinished } from './under-faults.ts';
import { startWatch } from './watch.ts';

/** The grace period after SIGTERM, as with Docker and the local stack (packages/runtime/src/lifecycle.ts). */
const drainWithinMs = 10_000;

interface Drain {
  name: string;
  tookMs: number;
  status: string;
}

/** A deploy without other faults: every process gets SIGTERM and is started again, one after another, while two campaigns run. */
export async function runRollingRestart(options: ChaosOptions): Promise<CheckResult[]> {
  const recipients = options.short ? 150 : 400;
  const rounds = options.short ? 1 : 2;
  const limits = limitsOf(options);
  console.log(`rolling restart: ${recipients} recipients, ${rounds} times through all processes`);
  const stack = await startChaosStack({
    workers: options.workers,
    seed: options.seed,
    behaviour: calmBehaviour(options.seed),
    limits,
  });
  try {
    const campaigns = await startCampaigns(stack, { recipients, limits });
    const watch = startWatch(stack, say);
    await sleep(2_000);
    const drains: Drain[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const name of stack.fleet.names) drains.push(await roll(stack, name));
    }
    await untilFinished(stack, options.minutes * 60_000);
    const evidence = await gather({ stack, campaigns, watch, limits });
    say(`repairs by sweep: ${listed(watch.repairs)}`);
    const heard = await everythingIsHeard(stack.db, stack.receiver);
    const results = [
      ...checks.map((check) => check(evidence)),
      heard,
      drained(drains),
      nothingLeftOpen(evidence),
    ];
    return results.map((result) => ({ ...result, name: `rolling restart: ${result.name}` }));
  } finally {
    await stack.close();
  }
}

async function roll(stack: ChaosStack, name: string): Promise<Drain> {
  const began = performance.now();
  const { code, signal } = await stack.fleet.terminate(name);
  const tookMs = performance.now() - began;
  const status = signal ?? `status ${code}`;
  say(`${name} ended with ${status} after ${tookMs.toFixed(0)} ms`);
  stack.fleet.start(name);
  const url = stack.metricsUrls.get(name)?.replace('/metrics', '/readyz');
  if (url !== undefined) {
    await again(`${name} is ready`, async () => {
      const response = await fetch(url);
      if (!response.ok) throw new Error(`readyz: ${response.status}`);
    });
  }
  return { name, tookMs, status };
}

function drained(drains: readonly Drain[]): CheckResult {
  return {
    name: 'SIGTERM ends every process in order and in time',
    faults: drains
      .filter(({ tookMs, status }) => status !== 'status 0' || tookMs > drainWithinMs)
      .map(({ name, tookMs, status }) => `${name} ended with ${status} after ${tookMs.toFixed(0)} ms`),
    figures: `${Math.max(...drains.map((drain) => drain.tookMs)).toFixed(0)} ms at most`,
  };
}

/** A worker finishes its placements after SIGTERM, so no attempt has to be looked up and sent again. */
function nothingLeftOpen(evidence: Evidence): CheckResult {
  return {
    name: 'no placement was interrupted',
    faults: evidence.calls
      .filter((call) => call.placed_again > 0)
      .map((call) => `call ${call.id} was placed again`),
    figures: `${evidence.calls.length} calls`,
  };
}
