import { sql } from 'kysely';
import type { Bed } from '../bed.ts';
import { makeCampaign, runCampaign, secondsToFinish } from '../campaign.ts';
import { type Finding, metIf, type Program, repeated } from '../program.ts';
import { heldLines, mostInUse, readSpans, usedOf } from '../spans.ts';
import { median, spread } from '../statistics.ts';
import type { World } from '../world.ts';

const workers = 4;
const goal = 0.95;
const cap = 100;
const talkSeconds = 2;

/** Measures how much of their limits four workers use together, and that they never exceed them. */
export const limits: Program = {
  name: 'limits',
  title: 'Limits over several workers',
  async run(bed, { quick, rounds }) {
    const findings: Finding[] = [];
    for (const callsPerSecond of quick ? [50] : [10, 50]) {
      findings.push(await pace(bed, callsPerSecond, { rounds, seconds: quick ? 4 : 10 }));
    }
    const { used, most } = of(await repeated(rounds, () => lineUse(bed, cap * (quick ? 4 : 7))));
    findings.push({
      what: `lines in use while there is work, ${workers} workers, calls of ${talkSeconds} s that all end in one moment`,
      baseline: `the cap: ${cap}`,
      goal: `at least ${goal} of it, never above`,
      measured: `${median(used).toFixed(3)}, at most ${most} held`,
      spread: spread(used, 3),
      verdict: metIf(median(used) >= goal && most <= cap),
    });
    return {
      findings,
      plots: [],
      notes: [
        `Limits: ${workers} workers and one campaign. Calls per second are counted by gate instants, over the whole campaign and in every window of one second. Lines are counted from ` +
          'the gate to the recorded end.',
      ],
    };
  },
};

async function pace(
  bed: Bed,
  callsPerSecond: number,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Finding> {
  const { used, most } = of(await repeated(rounds, () => paceUse(bed, callsPerSecond, seconds)));
  return {
    what: `calls per second used, ${workers} workers`,
    baseline: `the limit: ${callsPerSecond}`,
    goal: `at least ${goal} of it, never above`,
    measured: `${median(used).toFixed(3)}, at most ${most} in any second`,
    spread: spread(used, 3),
    verdict: metIf(median(used) >= goal && most <= callsPerSecond),
  };
}

interface Use {
  /** As a part of the limit. */
  used: number;
  /** Calls at the same time, or calls in a second. */
  most: number;
}

/** What was used in each run, and the most in any. */
const of = (runs: readonly Use[]) => ({
  used: runs.map(({ used }) => used),
  most: Math.max(...runs.map(({ most }) => most)),
});

async function paceUse(bed: Bed, callsPerSecond: number, seconds: number): Promise<Use> {
  const recipients = callsPerSecond * seconds;
  return dial(bed, { recipients, lines: 100, callsPerSecond }, {}, async (world) => {
    const { rows } = await sql<{ seconds: number; most: number }>`
      select extract(epoch from max(gated_at) - min(gated_at))::float8 as seconds,
        (select max(n) from (
          select count(*) over (order by gated_at range between current row and interval '999 milliseconds' following) as n
          from calls) windows)::int as most
      from calls`.execute(world.db);
    const [row] = rows;
    return { used: (recipients - 1) / (row?.seconds ?? 0) / callsPerSecond, most: row?.most ?? 0 };
  });
}

/** Leaves out the first conversations, and the time after the last dial. */
async function lineUse(bed: Bed, recipients: number): Promise<Use> {
  const env = { SIMULATOR_RING_MS: '200', SIMULATOR_TALK_MS: String(talkSeconds * 1000 - 200) };
  return dial(bed, { recipients, lines: cap }, env, async (world) => {
    const spans = heldLines(await readSpans(world));
    const gates = spans.map((span) => span.fromMs);
    const window = { fromMs: Math.min(...gates) + talkSeconds * 1000, toMs: Math.max(...gates) };
    return { used: usedOf(spans, cap, window), most: mostInUse(spans) };
  });
}

async function dial(
  bed: Bed,
  campaign: { recipients: number; lines: number; callsPerSecond?: number },
  env: Record<string, string>,
  read: (world: World) => Promise<Use>,
): Promise<Use> {
  return bed.inWorld('redis', async (world) => {
    await world.startReady('scheduler/src/main.ts', env);
    await Promise.all(Array.from({ length: workers }, () => world.startReady('worker/src/main.ts', env)));
    const campaignId = await makeCampaign(world, campaign);
    await runCampaign(world, campaignId);
    await secondsToFinish(world, campaignId, 120);
    return read(world);
  });
}
