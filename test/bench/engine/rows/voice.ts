import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { addPrompt, chooseVoiceProcess, createAgent, engineNow } from '@outdial/db';
import { freePort } from '@outdial/local';
import { createCallTokens } from '@outdial/runtime';
import { sql } from 'kysely';
import { cpuSeconds, memoryMb } from '../process-cost.ts';
import { metIf, type Program } from '../program.ts';
import { median, quantile, sum } from '../statistics.ts';
import { type CallFigures, talk } from '../voice/caller.ts';
import { openStandInModels } from '../voice/stand-in-models.ts';
import type { Started, World } from '../world.ts';

const goals = {
  shareOfACore: 0.012,
  loopP99Ms: 50,
  firstWordMs: { p50: 500, p95: 1_000 },
  waitMs: { p50: 500, p95: 800 },
  replyMs: { p50: 500, p95: 800 },
  /** The allowed growth in the second half of the calls: 20 MB, which is less than 100 kB per call. */
  memory: 0.05,
};
/** The voice process looks for ringing calls twice a second. Telephones ring for longer. */
const ringMs = 2_000;
const ops = { user: 'ops', password: randomBytes(12).toString('hex') };

/** Measures the cost and the waits of conversations. All of them run in one voice process; the callers and the models run in this process. */
export const voice: Program = {
  name: 'voice',
  title: 'Conversations',
  async run(bed, { quick }) {
    const [atOnce, half] = quick ? [5, 3] : [50, 250];
    const world = await bed.world('postgres');
    const models = await openStandInModels();
    try {
      const secret = randomBytes(24).toString('hex');
      const process = await startVoice(world, { url: models.url, secret, capacity: atOnce });
      const agent = await talkingAgent(world);
      let number = 0;
      const call = async (): Promise<CallFigures> => {
        const caller = `caller-${(number += 1)}`;
        const url = await ringingCall(world, agent, { caller, number, secret });
        await sleep(ringMs);
        return talk(url, () => models.thoughtMs(caller));
      };
      // Warms up: compiles the code, opens the connections, and reaches the usual memory.
      await many(call, { calls: atOnce, atOnce });
      await loopOf(process);
      const ownLoop = monitorEventLoopDelay();
      ownLoop.enable();
      const began = { cpu: cpuSeconds(process.pid), memoryMb: memoryMb(process.pid).now };
      const figures = await many(call, { calls: half, atOnce });
      const halfwayMb = memoryMb(process.pid).now;
      figures.push(...(await many(call, { calls: half, atOnce })));
      const cpu = cpuSeconds(process.pid) - began.cpu;
      const loop = await loopOf(process);
      const stallsMs = [loop.maxMs, ownLoop.max / 1e6] as const;
      const memory = [began.memoryMb, halfwayMb, memoryMb(process.pid).now] as const;
      return report({ atOnce, figures, cpu, p99: loop.p99Ms, stallsMs, memory });
    } finally {
      await world.close();
      await models.close();
    }
  },
};

function report(seen: {
  atOnce: number;
  figures: readonly CallFigures[];
  cpu: number;
  p99: number;
  /** The longest stall of the voice process, and of this one. */
  stallsMs: readonly [number, number];
  /** After the warm-up, halfway, and at the end. */
  memory: readonly [number, number, number];
}) {
  const { atOnce, figures, cpu, p99, stallsMs, memory } = seen;
  const share = cpu / (sum(figures.map(({ durationMs }) => durationMs)) / 1_000);
  const firstWords = figures.map(({ firstWordMs }) => firstWordMs);
  const replies = figures.flatMap(({ repliesMs }) => repliesMs);
  const growth = memory[2] / memory[1] - 1;
  const row = (what: string, goal: string, measured: string, spread: string, holds: boolean | null) => ({
    what,
    baseline: '–',
    goal,
    measured,
    spread,
    verdict: holds === null ? ('told' as const) : metIf(holds),
  });
  const waits = (values: readonly number[]) => [median(values), quantile(values, 0.95)] as const;
  const range = (values: readonly number[]) =>
    `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`;
  const within = ([p50, p95]: readonly [number, number], goal: { p50: number; p95: number }) =>
    p50 < goal.p50 && p95 < goal.p95;
  const shown = (values: readonly [number, number]) => values.map((ms) => ms.toFixed(0)).join(', ');
  const all = figures.flatMap(({ waitsMs }) => waitsMs);
  const [first, whole, reply] = [waits(firstWords), waits(all), waits(replies)];
  return {
    findings: [
      row('calls that one core carries', '–', String(Math.floor(1 / share)), '–', null),
      row(
        `processor time of the voice process for a call with its neural detector, ${atOnce} at once, share of a core`,
        `under ${percent(goals.shareOfACore)}`,
        percent(share),
        '–',
        share < goals.shareOfACore,
      ),
      row(
        'event loop of the voice process, ms (p99)',
        `under ${goals.loopP99Ms}`,
        p99.toFixed(0),
        '–',
        p99 < goals.loopP99Ms,
      ),
      row(
        'longest stall of the event loop of the voice process and of the measuring process, ms',
        '–',
        shown(stallsMs),
        '–',
        null,
      ),
      row(
        'first word after the answer, ms (p50, p95)',
        `p50 under ${goals.firstWordMs.p50}, p95 under ${goals.firstWordMs.p95}`,
        shown(first),
        range(firstWords),
        within(first, goals.firstWordMs),
      ),
      row(
        'from the end of a question to the first sound of the answer, ms (p50, p95)',
        `p50 under ${goals.waitMs.p50}, p95 under ${goals.waitMs.p95}`,
        shown(whole),
        range(all),
        within(whole, goals.waitMs),
      ),
      row(
        'from the end of a question to the answer, without what the model logs as its own time, ms (p50, p95)',
        `p50 under ${goals.replyMs.p50}, p95 under ${goals.replyMs.p95}`,
        shown(reply),
        range(replies),
        within(reply, goals.replyMs),
      ),
      row(
        `memory of the voice process after ${[0, 0.5, 1].map((part) => atOnce + part * figures.length).join(', ')} calls, MB`,
        `flat within ${percent(goals.memory)} in the second half`,
        `${memory.map((mb) => mb.toFixed(0)).join(', ')} (${percent(growth)})`,
        '–',
        growth < goals.memory,
      ),
    ],
    plots: [],
    notes: [
      `Conversations: ${figures.length} calls, ${atOnce} at once, in one voice process, over the websocket that Asterisk opens; each has a greeting and four questions. The other ends of the calls and the three models are in the ` +
        'measuring process: recognizer and voice answer at once, the language model after 300 ms. The recognizer is asked, and the reply begun, after 160 ms of silence; a whole sentence ends the turn after 240 ms. Processor time is the kernel’s, by the seconds that calls lasted, and contains all that the process does beside them. Nothing is recorded. The loop’s p99 is that of `/metrics`, which ' +
        'counts ten milliseconds where nothing is late. Memory is what the kernel counts for the process, which collects the sound of ended calls once it may be 16 MB. A wait beyond its goal is the machine’s where an event loop stood still for as long.',
    ],
  };
}

const percent = (share: number) => `${(share * 100).toFixed(2)} %`;

async function startVoice(
  world: World,
  args: { url: string; secret: string; capacity: number },
): Promise<Started> {
  const port = await freePort();
  return world.startReady('packages/voice/src/main.ts', {
    VOICE_PORT: String(port),
    VOICE_TOKEN_SECRET: args.secret,
    VOICE_CAPACITY: String(args.capacity * 2),
    VOICE_DRAIN_SECONDS: '1',
    OPS_USER: ops.user,
    OPS_PASSWORD: ops.password,
    ...Object.fromEntries(['LLM', 'STT', 'TTS'].map((name) => [`VOICE_ENDPOINT_${name}_URL`, args.url])),
  });
}

async function talkingAgent({ db, organizationId }: World): Promise<{ agentId: string; promptId: string }> {
  const config = { voice: { mode: 'cascade', greeting: 'Hello, this is Ada from the library.' } };
  const agentId = await createAgent(db, { organizationId, name: 'Ada', config });
  await addPrompt(db, { organizationId, agentId, level: 1, prompt: 'You are Ada and talk to {{name}}.' });
  const { rows } = await sql<{
    id: string;
  }>`select id from agent_prompts where agent_id = ${agentId}`.execute(db);
  const promptId = rows[0]?.id;
  if (promptId === undefined) throw new Error('the agent has no prompt');
  return { agentId, promptId };
}

/**
 * Creates a call as a worker leaves it when the provider has accepted it, with its reserved capacity in the voice process. Returns the address for
 * its media.
 */
async function ringingCall(
  { db, organizationId, userId }: World,
  { agentId, promptId }: { agentId: string; promptId: string },
  args: { caller: string; number: number; secret: string },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into calls (id, organization_id, agent_id, attempt, provider, phase, phone_number, prompt_id, prompt_params,
      created_by, created_at, gated_at, check_at, line_held)
    select new_id(), ${organizationId}, ${agentId}, 1, 'simulator', 'ringing', ${`+1${5_550_000_000 + args.number}`}, ${promptId},
      ${JSON.stringify({ name: args.caller })}::jsonb, ${userId}, engine_now(), engine_now(), engine_now() + interval '1 hour', true
    returning id`.execute(db);
  const callId = rows[0]?.id;
  if (callId === undefined) throw new Error('the call was not written');
  const chosen = await chooseVoiceProcess(db, {
    organizationId,
    callId,
    endpoints: [],
    reservedForSeconds: 600,
  });
  if (chosen.kind === 'none') throw new Error(`no voice process takes the call: ${chosen.reason}`);
  const times = { now: await engineNow(db), lifetimeSeconds: 600 };
  const token = await createCallTokens(args.secret).mint({ organizationId, callId }, times);
  return `${chosen.url}/asterisk?token=${encodeURIComponent(token)}`;
}

/** Runs a number of calls, with a constant number of them in progress. Their starts are spread in time. */
async function many(
  call: () => Promise<CallFigures>,
  { calls, atOnce }: { calls: number; atOnce: number },
): Promise<CallFigures[]> {
  const figures: CallFigures[] = [];
  let begun = 0;
  const line = async (index: number) => {
    await sleep((index / atOnce) * 5_000);
    while (begun < calls) {
      begun += 1;
      figures.push(await call());
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, index) => line(index)));
  return figures;
}

/** Since the last reading. */
async function loopOf({ url }: Started): Promise<{ p99Ms: number; maxMs: number }> {
  const authorization = `Basic ${Buffer.from(`${ops.user}:${ops.password}`).toString('base64')}`;
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text();
  const ms = (name: string) => {
    const seconds = new RegExp(`^nodejs_eventloop_lag_${name}_seconds\\S* (\\S+)$`, 'm').exec(text)?.[1];
    return Number(seconds ?? Number.NaN) * 1_000;
  };
  return { p99Ms: ms('p99'), maxMs: ms('max') };
}
