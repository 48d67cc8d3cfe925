import { setTimeout as sleep } from 'node:timers/promises';
import type { Bed } from '../bed.ts';
import { configure, makeCampaign, runCampaign, secondsToFinish } from '../campaign.ts';
import { metIf, type Program } from '../program.ts';
import { inUse, readSpans, turnovers, usedOf, type Span } from '../spans.ts';
import { median, quantile, spread } from '../statistics.ts';

const callMs = { ring: 500, talk: 3_500 };
const callSeconds = (callMs.ring + callMs.talk) / 1000;
const goalTurnoverMs = 50;
const goalUse = 0.98;

/** Measures how fast a line gets its next call, and how many of its lines a campaign keeps in use while recipients are due. */
export const lines: Program = {
  name: 'lines',
  title: 'Turnover of lines',
  async run(bed, { quick, rounds }) {
    const cap = quick ? 50 : 500;
    const recipients = cap * (quick ? 5 : 9);
    const runs: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      runs.push(judge(await dial(bed, { cap, recipients, spread: true }), cap, 2 * callSeconds));
    }
    const wave = judge(await dial(bed, { cap, recipients: cap * 4, spread: false }), cap, callSeconds / 2);
    const [first] = runs;
    const p99 = runs.map((run) => quantile(run.turnoverMs, 0.99));
    const p50 = runs.map((run) => median(run.turnoverMs));
    const used = runs.map((run) => run.used);
    const most = Math.max(...runs.map((run) => run.most));
    const heldMost = Math.max(...runs.map((run) => run.heldMost));
    return {
      findings: [
        {
          what: `from a call's end to the next dial on its line, ${cap} lines, ms (p50, p99)`,
          baseline: '–',
          goal: `p99 under ${goalTurnoverMs}`,
          measured: `${median(p50).toFixed(0)}, ${median(p99).toFixed(0)}`,
          spread: `p99 ${spread(p99, 0)}`,
          verdict: metIf(median(p99) < goalTurnoverMs),
        },
        {
          what: `the same when all ${cap} calls end in one moment, ms (p50, p99)`,
          baseline: '–',
          goal: '–',
          measured: `${median(wave.turnoverMs).toFixed(0)}, ${quantile(wave.turnoverMs, 0.99).toFixed(0)}`,
          spread: '–',
          verdict: 'told',
        },
        {
          what: `lines in use while there is work, one worker, calls of ${callSeconds} s`,
          baseline: `the cap: ${cap}`,
          goal: `at least ${goalUse} of it, never above`,
          measured: `${median(used).toFixed(3)}, at most ${most} in calls and ${heldMost} held`,
          spread: spread(used, 3),
          verdict: metIf(median(used) >= goalUse && most <= cap && heldMost <= cap),
        },
      ],
      plots: [
        {
          kind: 'lines',
          file: 'turnover',
          title: `From a call's end to the next dial on its line, ${cap} lines`,
          x: { label: 'ms', scale: 'linear' },
          y: { label: 'part of the calls', scale: 'linear' },
          series: [
            { name: 'ends spread in time', points: distribution(first?.turnoverMs ?? []) },
            { name: 'all end in one moment', points: distribution(wave.turnoverMs) },
          ],
        },
        {
          kind: 'lines',
          file: 'lines-in-use',
          title: 'Lines in use over one run',
          x: { label: 's since the first dial', scale: 'linear' },
          y: { label: 'lines', scale: 'linear' },
          series: [{ name: 'calls in progress', points: first?.overTime ?? [] }],
          mark: { name: 'the cap', y: cap },
        },
      ],
      notes: [
        `Lines: calls of ${callSeconds} s; a line is in use from its gate to the carrier's end of the call. The database and the carrier share one clock here. The n-th end is matched with the n-th dial ` +
          `after the cap was reached. Lines are filled at ${cap / callSeconds} calls a second, so that ends are spread in time as with real calls. The first ${2 * callSeconds} s, and the time after the last ` +
          'dial (when no work is left), are cut off. If all lines are filled at once, all calls end in one moment, four seconds later, again and again; the second row of the table shows that case.',
      ],
    };
  },
};

interface Measured {
  turnoverMs: number[];
  used: number;
  /** Concurrent calls, counted by the carrier. */
  most: number;
  /** Concurrently reserved lines, counted by the engine. */
  heldMost: number;
  overTime: Array<{ x: number; y: number }>;
}

function judge(spans: readonly Span[], cap: number, warmUpSeconds: number): Measured {
  const gates = spans.map((span) => span.gatedMs);
  const window = { fromMs: Math.min(...gates) + warmUpSeconds * 1000, toMs: Math.max(...gates) };
  const carried = spans.map(({ gatedMs, carrierEndMs }) => ({ fromMs: gatedMs, toMs: carrierEndMs }));
  const held = spans.map(({ gatedMs, endedMs }) => ({ fromMs: gatedMs, toMs: endedMs }));
  const steps = inUse(carried);
  return {
    turnoverMs: turnovers(carried, cap, window),
    used: usedOf(carried, cap, window),
    most: Math.max(...steps.map((step) => step.lines)),
    heldMost: Math.max(...inUse(held).map((step) => step.lines)),
    overTime: sampled(steps, 300),
  };
}

async function dial(
  bed: Bed,
  { cap, recipients, spread }: { cap: number; recipients: number; spread: boolean },
): Promise<Span[]> {
  const env = {
    SIMULATOR_RING_MS: String(callMs.ring),
    SIMULATOR_TALK_MS: String(callMs.talk),
    WORKER_CONCURRENCY: '200',
  };
  const world = await bed.world('redis');
  try {
    const pace = cap / callSeconds;
    const campaignId = await makeCampaign(world, {
      recipients,
      lines: cap,
      ...(spread && { callsPerSecond: pace }),
    });
    await world.startReady('scheduler/src/main.ts', env);
    await world.startReady('worker/src/main.ts', env);
    await runCampaign(world, campaignId);
    if (spread) {
      await sleep((callSeconds + 0.5) * 1000);
      await configure(world, campaignId, { calls_per_second: null });
    }
    await secondsToFinish(world, campaignId, 180);
    return await readSpans(world);
  } finally {
    await world.close();
  }
}

/** The cumulative distribution of the values, in a hundred steps. */
function distribution(values: readonly number[]): Array<{ x: number; y: number }> {
  return Array.from({ length: 101 }, (_, n) => ({ x: quantile(values, n / 100), y: n / 100 }));
}

function sampled(steps: ReadonlyArray<{ atMs: number; lines: number }>, points: number) {
  const first = steps[0]?.atMs ?? 0;
  const every = Math.max(1, Math.floor(steps.length / points));
  return steps
    .filter((_, n) => n % every === 0 || n === steps.length - 1)
    .map((step) => ({ x: Math.round(step.atMs - first) / 1000, y: step.lines }));
}
