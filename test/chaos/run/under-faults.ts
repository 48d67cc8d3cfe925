import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { CheckResult, Evidence } from '../checks/evidence.ts';
import { readRows } from '../checks/evidence.ts';
import { checks } from '../checks/index.ts';
import { longestGapMs } from '../../support/intervals.ts';
import { faultKinds } from '../faults/fault.ts';
import { createPauseLog, type PauseLog } from '../faults/pause-log.ts';
import { createRequestLog, requestKinds, type RequestLog } from '../faults/requests.ts';
import { planFaults } from '../faults/schedule.ts';
import { runFaults, type FaultRun } from '../faults/strike.ts';
import { moodyBehaviour } from '../gateway/behaviour.ts';
import type { ChaosOptions } from '../options.ts';
import { again } from '../stack/again.ts';
import { startChaosStack, type ChaosStack, type StackLimits } from '../stack/chaos-stack.ts';
import { everythingIsHeard } from '../webhooks/all-heard.ts';
import { startCampaigns, type ChaosCampaign } from './campaigns.ts';
import { startOptOutProbe } from './opt-out-probe.ts';
import { listed } from './report.ts';
import { passerOfSilentSends } from './silent-sends.ts';
import { startWatch, type Watch } from './watch.ts';

/** Events that arrive after the end of all calls must have no effect. */
const lateEventsMs = 3_000;

/** Runs two campaigns with mixed outcomes under a seeded schedule of faults. */
export async function runUnderFaults(options: ChaosOptions): Promise<CheckResult[]> {
  const limits = limitsOf(options);
  console.log(
    `under faults: seed ${options.seed}, ${options.recipients} recipients, ${options.workers} workers`,
  );
  const stack = await startChaosStack({
    workers: options.workers,
    seed: options.seed,
    behaviour: moodyBehaviour(options.seed),
    limits,
  });
  try {
    const campaigns = await startCampaigns(stack, { recipients: options.recipients, limits });
    const watch = startWatch(stack, say);
    const pauses = createPauseLog();
    const requests = createRequestLog();
    const plan = planFaults({
      seed: options.seed,
      workers: options.workers,
      forMs: options.faultSeconds * 1_000,
      gapMs: options.short ? { least: 1_500, most: 4_000 } : { least: 3_000, most: 9_000 },
    });
    const faults = runFaults({ stack, campaigns, pauses, requests, workers: options.workers }, plan, say);
    const optOuts = await startOptOutProbe(stack, options.faultSeconds * 1_000);
    const passSilentSends = passerOfSilentSends(stack, say);
    const began = performance.now();
    const ended = untilFinished(stack, options.minutes * 60_000, async () => {
      if (faults.isOver) await passSilentSends();
    });
    // Awaits both, because an unhandled rejection of one would end this process before its stack is closed.
    const [optedOut] = await Promise.all([optOuts.ended, ended]);
    say(`opt-outs of waiting recipients: ${optedOut.figures}`);
    const lastedMs = performance.now() - began;
    await faults.stop();
    const evidence = await gather({ stack, campaigns, pauses, requests, watch, limits });
    sayFigures({ stack, evidence, faults, watch, lastedMs });
    const heard = await everythingIsHeard(stack.db, stack.receiver);
    return [
      ...checks.map((check) => check(evidence)),
      optedOut,
      heard,
      everyFaultStruck(faults),
      noProcessFell(stack),
    ];
  } finally {
    await stack.close();
  }
}

export function limitsOf(options: ChaosOptions): StackLimits {
  const organizationLines = options.short ? 18 : 32;
  return {
    providerLines: organizationLines + 2,
    organizationLines,
    providerCallsPerSecond: options.callsPerSecond,
  };
}

export function say(line: string): void {
  console.log(`    ${line}`);
}

/** Waits until all campaigns are over. A timeout is not an error here, because the checks report what is missing. */
export async function untilFinished(
  stack: ChaosStack,
  withinMs: number,
  meanwhile?: () => Promise<void>,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    if (await areAllOver(stack)) return;
    await meanwhile?.();
    await sleep(250);
  }
  console.log(`    gave up after ${Math.round(withinMs / 1000)} s`);
}

export function areAllOver({ db }: ChaosStack): Promise<boolean> {
  return again('count the open campaigns', async () => {
    const { rows } = await sql<{ open: boolean }>`
      select exists (select from campaigns where status not in ('finished', 'canceled')) as open`.execute(db);
    return rows[0]?.open === false;
  });
}

/** Reads what the campaigns of a run left, after the last events. */
export async function gather(args: {
  stack: ChaosStack;
  campaigns: readonly ChaosCampaign[];
  pauses?: PauseLog;
  requests?: RequestLog;
  watch: Watch;
  limits: StackLimits;
}): Promise<Evidence> {
  await sleep(lateEventsMs);
  await args.watch.stop();
  const rows = await again('read the rows', () => readRows(args.stack.db));
  return {
    ...rows,
    campaigns: args.campaigns,
    seen: [...args.stack.gateway.calls.values()],
    unsigned: args.stack.gateway.unsigned,
    pauses: args.pauses?.intervals ?? [],
    forbidden: args.requests?.forbidden ?? [],
    past: args.watch.past,
    limits: args.limits,
  };
}

function everyFaultStruck(faults: FaultRun): CheckResult {
  const never = [...faultKinds, ...requestKinds].filter((kind) => !faults.counts.struck.has(kind));
  return {
    name: 'every kind of fault was injected',
    faults: [...never.map((kind) => `${kind} never did`), ...faults.failures],
    figures: '',
  };
}

function noProcessFell(stack: ChaosStack): CheckResult {
  const { ownEnds, falseStarts } = stack.fleet;
  const figures = `${falseStarts.length} could not start, as Postgres was down`;
  return { name: 'no process exited on its own', faults: ownEnds, figures };
}

function sayFigures(args: {
  stack: ChaosStack;
  evidence: Evidence;
  faults: FaultRun;
  watch: Watch;
  lastedMs: number;
}): void {
  const { stack, evidence, faults, watch } = args;
  const outcomes = new Map<string, number>();
  for (const call of evidence.calls) {
    const outcome = call.outcome ?? call.phase;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  const placedAgain = evidence.calls.reduce((sum, call) => sum + call.placed_again, 0);
  const { counts } = stack.gateway.events;
  const stallMs = longestGapMs(evidence.gates.map((gate) => gate.gatedAt.getTime()));
  say(`lasted ${(args.lastedMs / 1000).toFixed(0)} s; calls: ${listed(outcomes)}`);
  say(`faults: ${listed(faults.counts.struck)}; missed their target: ${listed(faults.counts.missed)}`);
  say(
    `repairs by sweep: ${listed(watch.repairs)}; placed again ${placedAgain}; longest time without a gate ${(stallMs / 1000).toFixed(1)} s`,
  );
  say(
    `events: ${counts.sent} sent, ${counts.taken} taken, ${counts.refused} refused, ${counts.givenUp} given up; ` +
      `gates undone: ${evidence.gates.length - evidence.calls.length - placedAgain}`,
  );
  if (stack.fleet.errors.size > 0) say(`errors logged: ${listed(stack.fleet.errors)}`);
}
