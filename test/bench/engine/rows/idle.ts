import { setTimeout as sleep } from 'node:timers/promises';
import { engineNow } from '@outdial/db';
import { sql } from 'kysely';
import { makeCampaign, runCampaign } from '../campaign.ts';
import { cpuSeconds } from '../process-cost.ts';
import { findingOf, metIf, type Program } from '../program.ts';
import { median, spread } from '../statistics.ts';
import type { World } from '../world.ts';
import { firstGate } from './first-dial.ts';

const goalOfACore = 0.01;
/** For all processes together: api, scheduler, worker with its reader of documents, Postgres and Redis. */
const goalOfAll = 0.02;
/** After this time, compiling and connecting no longer distort the figures. */
const settleMs = 5_000;
/** CPU time of the scheduler. */
const longestSleepMs = 1_000;
const wakeLeadMs = 2_500;
const wakesAtOnce = 5;
/** The tolerance for two medians of a few milliseconds each. The scheduler sleeps until the earliest campaign is due. */
const sameTimeMs = 10;

/** Measures the idle cost of ten thousand campaigns that wait for their windows, and whether they delay the start of another. */
export const idle: Program = {
  name: 'idle',
  title: 'Waiting campaigns',
  async run(bed, { quick }) {
    const waiting = quick ? 1_000 : 10_000;
    const seconds = quick ? 5 : 30;
    const wakes = quick ? 5 : 25;
    return bed.inWorld('redis', async (world) => {
      const { scheduler, worker } = await world.startEngine();
      const api = await world.startReady('api/src/main.ts');
      const { postgres, redis } = bed.servers;
      const others = [worker.pid, api.pid, ...(redis === null ? [] : [redis])];
      const pids = { scheduler: scheduler.pid, postgres, others };
      const alone = await observe(world, { pids, seconds, wakes });
      await addWaitingCampaigns(world, waiting);
      const crowded = await observe(world, { pids, seconds, wakes });
      const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
      const slower = median(crowded.wakeMs) - median(alone.wakeMs);
      const many = waiting.toLocaleString('en');
      return {
        findings: [
          {
            what: 'processor time of all processes while nothing is to do, share of a core',
            baseline: '–',
            goal: `under ${percent(goalOfAll)}`,
            measured: percent(alone.all),
            spread: '–',
            verdict: metIf(alone.all < goalOfAll),
          },
          {
            what: `processor time of the scheduler while ${many} campaigns wait for their windows, share of a core`,
            baseline: `none waiting: ${percent(alone.scheduler)}`,
            goal: `under ${percent(goalOfACore)}`,
            measured: percent(crowded.scheduler),
            spread: '–',
            verdict: metIf(crowded.scheduler < goalOfACore),
          },
          findingOf(
            `waking one campaign while ${many} wait, from its instant to its first gate, ms`,
            crowded.wakeMs,
            {
              digits: 0,
              baseline: `none waiting: ${median(alone.wakeMs)} (${spread(alone.wakeMs, 0)})`,
              goal: `the same time (within ${sameTimeMs} ms)`,
              verdict: metIf(slower <= sameTimeMs),
            },
          ),
        ],
        plots: [],
        notes: [
          `Idle: the scheduler is a separate process, observed for ${seconds} s without and with the waiting campaigns. Postgres used ${percent(alone.postgres)} of a core in the ` +
            `first case and ${percent(crowded.postgres)} in the second, for scheduler and worker together. Waking: ${wakes} campaigns, each with its own \`start_date\`.`,
        ],
      };
    });
  },
};

interface Observed {
  /** Shares of a core. */
  scheduler: number;
  postgres: number;
  /** The scheduler, Postgres, and all other processes. */
  all: number;
  wakeMs: number[];
}

async function observe(
  world: World,
  args: {
    pids: { scheduler: number; postgres: number; others: readonly number[] };
    seconds: number;
    wakes: number;
  },
): Promise<Observed> {
  const { pids, seconds } = args;
  const used = () => ({
    scheduler: cpuSeconds(pids.scheduler),
    postgres: cpuSeconds(pids.postgres),
    others: pids.others.reduce((sum, pid) => sum + cpuSeconds(pid), 0),
  });
  await sql`vacuum analyze`.execute(world.db);
  await sleep(settleMs);
  const began = used();
  await sleep(seconds * 1000);
  const ended = used();
  const share = (name: keyof typeof ended) => (ended[name] - began[name]) / seconds;
  return {
    scheduler: share('scheduler'),
    postgres: share('postgres'),
    all: share('scheduler') + share('postgres') + share('others'),
    wakeMs: await wakeSome(world, args.wakes),
  };
}

/** Milliseconds from the start of a campaign's window to its first gate, for a few campaigns in quick succession. */
async function wakeSome(world: World, count: number): Promise<number[]> {
  const waits: number[] = [];
  while (waits.length < count) {
    const now = (await engineNow(world.db)).getTime();
    const planned: Array<{ id: string; startAt: Date }> = [];
    for (let n = 0; n < wakesAtOnce; n++) {
      const startAt = new Date(now + wakeLeadMs + n * 150);
      const id = await makeCampaign(world, { recipients: 1, lines: 1, startDate: startAt });
      await runCampaign(world, id);
      // Skips a campaign whose start is nearer than the scheduler's longest sleep: it was created too late to wait.
      const leftMs = startAt.getTime() - (await engineNow(world.db)).getTime();
      if (leftMs > longestSleepMs) planned.push({ id, startAt });
    }
    for (const { id, startAt } of planned) {
      waits.push((await firstGate(world, id)).getTime() - startAt.getTime());
    }
  }
  return waits;
}

/**
 * Copies one running campaign with one recipient. The copies wait for a window that opens in hours. Creating each over the api would take longer than
 * the measurement.
 */
async function addWaitingCampaigns(world: World, count: number): Promise<void> {
  const opensAt = new Date((await engineNow(world.db)).getTime() + 6 * 3_600_000);
  const model = await makeCampaign(world, { recipients: 1, lines: 1, startDate: opensAt });
  await runCampaign(world, model);
  await copyRows(world, 'campaigns', 'id', model, count);
  // A trigger gives each copy its config.
  for (const table of ['campaign_runtime', 'campaign_recipients']) {
    await copyRows(world, table, 'campaign_id', model, count);
  }
}

/** Copies the rows of a campaign. The id of the nth copy is made from n, so that its rows refer to each other. */
async function copyRows(
  world: World,
  table: string,
  key: 'id' | 'campaign_id',
  model: string,
  count: number,
): Promise<void> {
  const own = key === 'campaign_id' && table !== 'campaign_runtime' ? `, 'id', gen_random_uuid()` : '';
  await sql`
    insert into ${sql.table(table)}
    select (jsonb_populate_record(t, jsonb_build_object(${sql.lit(key)}, md5('copy' || n)::uuid ${sql.raw(own)}))).*
    from ${sql.table(table)} t, generate_series(1, ${count}::int) n where t.${sql.ref(key)} = ${model}`.execute(
    world.db,
  );
}
