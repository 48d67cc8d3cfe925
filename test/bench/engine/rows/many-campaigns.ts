import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Bed } from '../bed.ts';
import { makeCampaign, runCampaign } from '../campaign.ts';
import { startMeter } from '../process-cost.ts';
import { findingOf, metIf, type Program, repeated } from '../program.ts';
import { heldLines, mostInUse, readSpans, usedOf } from '../spans.ts';
import { median } from '../statistics.ts';
import type { World } from '../world.ts';

const limitMs = 300_000;
const talkMs = 3_000;

interface Company {
  campaigns: number;
  callsOfEach: number;
  lines: number;
}

interface Cost {
  callsPerSecond: number;
  /** Of all processes. */
  msOfACall: number;
}

/** Measures a call where many small campaigns run side by side, alone and under the cap of a provider. */
export const manyCampaigns: Program = {
  name: 'many-campaigns',
  title: 'Many small campaigns',
  async run(bed, { quick, rounds }) {
    const calls = quick ? 400 : 4_000;
    const one = await repeated(rounds, () => costOf(bed, { campaigns: 1, callsOfEach: calls, lines: 400 }));
    const two = await repeated(rounds, () =>
      costOf(bed, { campaigns: calls / 20, callsOfEach: 20, lines: 2 }),
    );
    const single = await repeated(rounds, () =>
      costOf(bed, { campaigns: calls / 10, callsOfEach: 8, lines: 1 }),
    );
    const capped = (company: Capped) => repeated(rounds, () => useOfCap(bed, company, talkMs));
    const waves = await capped({ cap: 300, campaigns: quick ? 20 : 100, lines: 10 });
    const few = await capped({ cap: quick ? 300 : 1_500, campaigns: 20, lines: 150 });
    const costs = (runs: ReadonlyArray<{ msOfACall: number }>) => runs.map((run) => run.msOfACall);
    const rates = (runs: readonly Cost[]) => runs.map((run) => run.callsPerSecond);
    const baseline = `one campaign: ${median(costs(one)).toFixed(2)} ms, ${median(rates(one)).toFixed(0)} calls/s`;
    return {
      findings: [
        findingOf(
          `${calls / 20} campaigns of 20 calls, 2 lines each, ms of processor for a call`,
          costs(two),
          {
            digits: 2,
            baseline,
            goal: 'at most 2.4, within 2.5 times',
            verdict: metIf(median(costs(two)) <= Math.min(2.4, 2.5 * median(costs(one)))),
          },
        ),
        findingOf(`${calls / 20} campaigns of 20 calls, 2 lines each, calls a second`, rates(two), {
          digits: 2,
          baseline,
          goal: 'within 2.5 times',
          verdict: metIf(median(rates(two)) >= median(rates(one)) / 2.5),
        }),
        findingOf(
          `${calls / 10} campaigns of 8 calls, 1 line each, ms of processor for a call`,
          costs(single),
          {
            digits: 2,
            baseline,
            goal: 'at most 3',
            verdict: metIf(median(costs(single)) <= 3),
          },
        ),
        findingOf(
          `lines in use of a provider’s 300, ${quick ? 20 : 100} campaigns, calls of ${talkMs / 1000} s that start in waves`,
          useOf(waves),
          { digits: 2, goal: 'at least 0.85, never above', verdict: metIf(isUsed(waves, 0.85, 300)) },
        ),
        findingOf('these calls, ms of processor for a call', costs(waves), {
          digits: 2,
          goal: 'at most 5',
          verdict: metIf(median(costs(waves)) <= 5),
        }),
        findingOf(
          `lines in use of a provider’s ${quick ? 300 : '1,500'}, 20 campaigns, calls of ${talkMs / 1000} s that start in waves`,
          useOf(few),
          {
            digits: 2,
            goal: 'at least 0.95, never above',
            verdict: metIf(isUsed(few, 0.95, quick ? 300 : 1_500)),
          },
        ),
      ],
      plots: [],
      notes: [
        'Many small campaigns: of one organization, on Redis, one worker and one scheduler. Processor time is read from the kernel, from the first start to the ' +
          'last end. Under the cap, lines count from the gate to the recorded end, and the first and the last calls are left out.',
      ],
    };
  },
};

interface Capped {
  cap: number;
  campaigns: number;
  /** Of each, more than its part of the cap. */
  lines: number;
}

interface Use {
  used: number;
  most: number;
  msOfACall: number;
}

const useOf = (runs: readonly Use[]) => runs.map(({ used }) => used);

function isUsed(runs: readonly Use[], share: number, cap: number): boolean {
  return median(useOf(runs)) >= share && runs.every(({ most }) => most <= cap);
}

function costOf(bed: Bed, company: Company): Promise<Cost> {
  return dial(bed, company, { env: {}, cap: null }, async (_, cost) => cost);
}

function useOfCap(bed: Bed, { cap, campaigns, lines }: Capped, ms: number): Promise<Use> {
  const callsOfEach = (cap * 5) / campaigns;
  const env = { SIMULATOR_RING_MS: '200', SIMULATOR_TALK_MS: String(ms - 200) };
  return dial(bed, { campaigns, callsOfEach, lines }, { env, cap }, async (world, { msOfACall }) => {
    const spans = heldLines(await readSpans(world));
    const gates = spans.map(({ fromMs }) => fromMs).toSorted((a, b) => a - b);
    // The lists run out one after another at the end, so the last fifth of the gates is left out.
    const toMs = gates[Math.floor(gates.length * 0.8)] ?? 0;
    const used = usedOf(spans, cap, { fromMs: (gates[0] ?? 0) + ms, toMs });
    return { used, most: mostInUse(spans), msOfACall };
  });
}

async function dial<T>(
  bed: Bed,
  company: Company,
  settings: { env: Record<string, string>; cap: number | null },
  read: (world: World, cost: Cost) => Promise<T>,
): Promise<T> {
  return bed.inWorld('redis', async (world) => {
    if (settings.cap !== null) {
      await world.db.updateTable('providers').set({ max_lines: settings.cap }).execute();
    }
    const ids: string[] = [];
    for (let n = 0; n < company.campaigns; n++) {
      const shape = {
        recipients: company.callsOfEach,
        lines: company.lines,
        firstNumber: n * company.callsOfEach,
      };
      ids.push(await makeCampaign(world, shape));
    }
    await sql`vacuum analyze`.execute(world.db);
    const { scheduler, worker } = await world.startEngine(settings.env);
    const used = startMeter(bed, [scheduler, worker]);
    const startedMs = performance.now();
    for (const id of ids) await runCampaign(world, id);
    await allFinished(world);
    const seconds = (performance.now() - startedMs) / 1000;
    const calls = company.campaigns * company.callsOfEach;
    return read(world, {
      callsPerSecond: calls / seconds,
      msOfACall: (used() * 1000) / calls,
    });
  });
}

async function allFinished({ db }: World): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const open = await db
      .selectFrom('campaigns')
      .select('id')
      .where('status', '!=', 'finished')
      .limit(1)
      .execute();
    if (open.length === 0) return;
    if (performance.now() - startedMs > limitMs) throw new Error(`campaigns did not finish in ${limitMs} ms`);
    await sleep(50);
  }
}
