import { setTimeout as sleep } from 'node:timers/promises';
import { ensureProvider } from '@outdial/db';
import { sql } from 'kysely';
import { callsEnded, makeCampaign, runCampaign } from '../campaign.ts';
import { openCarrier, type Carrier } from '../carrier.ts';
import { metIf, type Program } from '../program.ts';
import { median, spread, sum } from '../statistics.ts';
import type { Bed } from '../bed.ts';
import type { Started, World } from '../world.ts';

const goalMs = 250;
const lines = 200;
const carrierMs = 20;

/** The time of a commit on a slow disk, for one commit or a group of them. */
const slowCommitMs = 10;

/** Measures what is still dialed after a pause: gates after its commit, and sends that had passed their gate before. */
export const pause: Program = {
  name: 'pause',
  title: 'Pausing',
  async run(bed, { quick }) {
    const measured = await measure(bed, { pauses: quick ? 3 : 20, commitMs: 0 });
    const slow = await measure(bed, { pauses: quick ? 3 : 10, commitMs: slowCommitMs });
    return resultsOf(measured, slow);
  },
};

async function measure(bed: Bed, of: { pauses: number; commitMs: number }): Promise<Paused[]> {
  const { pauses, commitMs } = of;
  const carrier = await openCarrier({ answersInMs: carrierMs });
  const world = await bed.world('redis');
  try {
    if (commitMs > 0) await slowDownCommits(world, commitMs);
    const env = {
      TELEPHONY_PROVIDER: 'gateway',
      GATEWAY_URL: carrier.url,
      GATEWAY_SECRET: `whsec_${Buffer.from('a secret of the benchmark').toString('base64')}`,
      WORKER_CONCURRENCY: String(lines),
    };
    await ensureProvider(world.db, { name: 'gateway', adapter: 'gateway' });
    await world.startReady('scheduler/src/main.ts', env);
    await world.startReady('worker/src/main.ts', env);
    const api = await world.startReady('api/src/main.ts', env);
    const campaignId = await makeCampaign(world, { recipients: pauses * 5_000, lines });
    const measured: Paused[] = [];
    for (let n = 0; n < pauses; n++) measured.push(await pauseOnce(world, { api, campaignId, carrier }));
    return measured;
  } finally {
    await world.close();
    await carrier.close();
  }
}

/** Makes every new connection wait before it flushes a commit, which delays the others. */
async function slowDownCommits({ db, databaseUrl }: World, byMs: number): Promise<void> {
  const database = sql.ref(new URL(databaseUrl).pathname.slice(1));
  await sql`alter database ${database} set commit_delay = ${sql.lit(byMs * 1_000)}`.execute(db);
  await sql`alter database ${database} set commit_siblings = 0`.execute(db);
}

interface Paused {
  /**
   * Gates after the instant of the pause, which is read while the campaign's row is locked, and gates whose rows appeared after the answer to the
   * pause.
   */
  gatesAfter: number;
  /** Sends in progress when the pause was answered. */
  sendsAfter: number;
  /** From the answer to the end of the last send. Negative if all sends had ended. */
  lastSendMs: number;
  callsBefore: number;
  /** From the request to its answer. */
  answerMs: number;
}

async function pauseOnce(
  world: World,
  { api, campaignId, carrier }: { api: Started; campaignId: string; carrier: Carrier },
): Promise<Paused> {
  carrier.sends.length = 0;
  await runCampaign(world, campaignId, 'gateway');
  // Each pause comes at another point within a batch.
  await sleep(700 + Math.random() * 300);
  const askedMs = performance.now();
  const answer = await fetch(`${api.url}/api/v1/campaigns/${campaignId}/status`, {
    method: 'PUT',
    headers: { 'x-api-key': world.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'paused' }),
  });
  const answeredMs = performance.now();
  if (!answer.ok) throw new Error(`the campaign was not paused: ${answer.status}`);
  const gatesAtAnswer = (await gates(world, campaignId)).all;
  await answer.body?.cancel();
  await callsEnded(world);
  await sleep(500);
  const { all, late } = await gates(world, campaignId);
  const { sends } = carrier;
  return {
    gatesAfter: Math.max(late, all - gatesAtAnswer),
    sendsAfter: sends.filter((send) => send.endedMs > answeredMs).length,
    lastSendMs: Math.max(...sends.map((send) => send.endedMs)) - answeredMs,
    callsBefore: sends.length,
    answerMs: answeredMs - askedMs,
  };
}

/** `late`: the gate is after the campaign's last change, which is the pause. */
async function gates(world: World, campaignId: string): Promise<{ all: number; late: number }> {
  const { rows } = await sql<{ all: number; late: number }>`
    select count(*)::int as all, count(*) filter (where k.gated_at > c.updated_at)::int as late
    from calls k join campaigns c on c.id = k.campaign_id where c.id = ${campaignId}`.execute(world.db);
  return rows[0] ?? { all: 0, late: 0 };
}

function resultsOf(measured: readonly Paused[], slow: readonly Paused[]) {
  const last = measured.map((one) => one.lastSendMs);
  const answers = measured.map((one) => one.answerMs);
  const slowAnswers = slow.map((one) => one.answerMs);
  const after = sum([...measured, ...slow].map((one) => one.gatesAfter));
  const sent = sum(measured.map((one) => one.callsBefore));
  return {
    findings: [
      {
        what: `gates after a pause has committed, ${measured.length + slow.length} pauses under full load`,
        baseline: '–',
        goal: 'none',
        measured: String(after),
        spread: '–',
        verdict: metIf(after === 0),
      },
      {
        what: 'from the answer to a pause to the end of the last send, ms',
        baseline: `the carrier answers a send in ${carrierMs}`,
        goal: `within ${goalMs}`,
        measured: median(last).toFixed(0),
        spread: spread(last, 0),
        verdict: metIf(Math.max(...last) <= goalMs),
      },
      {
        what: 'from the request to pause to its answer, under the same load, ms',
        baseline: '–',
        goal: '–',
        measured: median(answers).toFixed(0),
        spread: spread(answers, 0),
        verdict: 'told' as const,
      },
      {
        what: `the same, with commits of ${slowCommitMs} ms`,
        baseline: '–',
        goal: `within ${goalMs}`,
        measured: median(slowAnswers).toFixed(0),
        spread: spread(slowAnswers, 0),
        verdict: metIf(Math.max(...slowAnswers) <= goalMs),
      },
    ],
    plots: [],
    notes: [
      `Pause: over the api, while ${lines} lines send to a gateway over HTTP that refuses each call after ${carrierMs} ms (${sent.toLocaleString('en')} sends in all, ` +
        `${sum(measured.map((one) => one.sendsAfter))} of them in progress when a pause was answered). A gate counts as late if its instant is after that of the pause, which reads the clock while it ` +
        'holds the row that gates lock, or if its row did not exist when the pause was answered.',
    ],
  };
}
