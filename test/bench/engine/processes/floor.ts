/**
 * The baseline of the engine: the same jobs and the same necessary statements for each call, batched where the engine may batch, but without rules:
 * no windows, gate, retries, lines or leases. It is a separate process, like a worker. It waits until its campaign is running and sets it to
 * finished, so that both are timed in the same way.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@outdial/db';
import { loadEnv, databaseEnv, queueEnv } from '@outdial/runtime';
import {
  createPostgresBackend,
  Queue,
  Worker,
  type Job,
  type QueueOptions,
  type WorkerOptions,
} from 'bullmq';
import { sql } from 'kysely';

const env = loadEnv({ database: databaseEnv, queue: queueEnv }, process.env);
const campaignId = process.env['FLOOR_CAMPAIGN_ID'] ?? '';
const concurrency = Number(process.env['FLOOR_CONCURRENCY'] ?? '200');
const batch = 500;

const db = connect({ databaseUrl: env.database.url, poolMax: 20 });
interface Dial {
  id: string;
  callId: string;
}

const redis = env.queue.kind === 'redis' ? env.queue : null;
const connection = redis ? { url: redis.url, maxRetriesPerRequest: null } : env.database.url;
const prefix = redis ? { prefix: `{${redis.prefix ?? 'floor'}}` } : {};
const shared = { connection, ...prefix } as QueueOptions;
const backend = redis ? [] : [createPostgresBackend];
// BullMQ infers its connection type from the backend, which is chosen here at run time.
const queue = Reflect.construct(Queue, ['floor-dial', shared, ...backend]) as Queue<Dial>;

/** Collects items while one statement runs, and sends them in the next. */
function batched(write: (dials: Dial[]) => Promise<void>): (dial: Dial) => Promise<void> {
  const waiting: Array<{ dial: Dial; done: () => void; failed: (error: unknown) => void }> = [];
  let running = false;
  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const taken = waiting.splice(0, 100);
      try {
        await write(taken.map((one) => one.dial));
        for (const one of taken) one.done();
      } catch (error) {
        for (const one of taken) one.failed(error);
      }
    }
    running = false;
  }
  return (dial) =>
    new Promise((done, failed) => {
      waiting.push({ dial, done, failed });
      if (!running) setImmediate(() => void (running || run()));
    });
}

const begin = batched(async (dials) => {
  await sql`
    with r as (
      update campaign_recipients r set state = 'dialing', attempts = 1, round_attempts = 1, next_attempt_at = null,
        first_attempt_at = now()
      from unnest(${dials.map((dial) => dial.id)}::uuid[]) as x(id)
      where r.organization_id = (select organization_id from campaigns where id = ${campaignId})
        and r.campaign_id = ${campaignId} and r.id = x.id
      returning r.*)
    insert into calls (id, organization_id, agent_id, campaign_id, recipient_id, attempt, provider, phase, phone_number,
      prompt_id, prompt_params, created_by, created_at, gated_at, check_at, line_held)
    select r.call_id, r.organization_id, c.agent_id, r.campaign_id, r.id, 1, 'simulator', 'placing', r.phone_number,
      (select min(id) from agent_prompts p where p.agent_id = c.agent_id), c.prompt_params, c.created_by, now(), now(),
      now(), true
    from r join campaigns c on c.id = r.campaign_id`.execute(db);
});

const finish = batched(async (dials) => {
  const events = JSON.stringify([
    { type: 'placed', at: new Date().toISOString() },
    { type: 'ringing', at: new Date().toISOString() },
    { type: 'answered', at: new Date().toISOString() },
    { type: 'ended', at: new Date().toISOString(), outcome: 'completed' },
  ]);
  await sql`
    with c as (
      update calls c set phase = 'ended', outcome = 'completed', ended_at = now(), check_at = null, line_held = false,
        accepted_at = now(), answered_at = now(), transcript = 'agent: Hello Ada.', duration_seconds = 0,
        events = ${events}::jsonb
      from unnest(${dials.map((dial) => dial.callId)}::uuid[]) as x(id) where c.id = x.id
      returning c.organization_id, c.campaign_id, c.recipient_id)
    update campaign_recipients r set state = 'done', last_outcome = 'completed', call_id = null
    from c where r.organization_id = c.organization_id and r.campaign_id = c.campaign_id and r.id = c.recipient_id`.execute(
    db,
  );
});

async function choose(): Promise<Dial[]> {
  const { rows } = await sql<Dial>`
    with due as (
      select ctid as place from campaign_recipients
      where campaign_id = ${campaignId} and calling_key = 'UTC' and state = 'pending' and next_attempt_at <= now()
      order by next_attempt_at, position limit ${batch} for update skip locked)
    update campaign_recipients r set state = 'dialing', call_id = new_id(), next_attempt_at = null
    from due where r.ctid = due.place returning r.id, r.call_id as "callId"`.execute(db);
  return rows;
}

let open = 0;
let drained = false;
async function feed(): Promise<void> {
  while (!drained && open < 2 * batch) {
    const dials = await choose();
    if (dials.length === 0) {
      drained = true;
      break;
    }
    open += dials.length;
    await queue.addBulk(
      dials.map((data) => ({ name: 'dial', data, opts: { removeOnComplete: { count: 20 } } })),
    );
  }
}

async function isRunning(): Promise<boolean> {
  const { rows } = await sql`select from campaigns where id = ${campaignId} and status = 'running'`.execute(
    db,
  );
  return rows.length > 0;
}

async function setFinished(): Promise<void> {
  await sql`update campaigns set status = 'finished' where id = ${campaignId}`.execute(db);
}

let feeding: Promise<void> | null = null;
const workerOptions = { ...shared, concurrency } as WorkerOptions;
const handle = async (job: Job<Dial>) => {
  await begin(job.data);
  await finish(job.data);
  open -= 1;
  if (drained && open === 0) await setFinished();
  feeding ??= feed().finally(() => {
    feeding = null;
  });
};
const worker = Reflect.construct(Worker, ['floor-dial', handle, workerOptions, ...backend]) as Worker<Dial>;
worker.on('error', (error) => console.error(error));
while (!(await isRunning())) await sleep(5);
await feed();
process.on('SIGTERM', () => {
  void Promise.allSettled([worker.close(), queue.close(), db.destroy()]).then(() => process.exit(0));
});
