import { z } from 'zod';

const callUse = z.object({
  name: z.string(),
  postgresCpuMs: z.number(),
  postgresPlanMs: z.number(),
  workerCpuMs: z.number(),
  schedulerCpuMs: z.number(),
  redisCpuMs: z.number(),
  walBytes: z.number(),
  commits: z.number(),
  roundTrips: z.number(),
  redisCommands: z.number(),
  callsPerSecond: z.number(),
  batches: z.object({ claim: z.number(), gate: z.number(), progress: z.number() }),
});

/** The fields written by `measure.ts` that the model reads. */
export const measuredSchema = z.object({
  calls: z.array(callUse),
  commits: z.object({
    roundTripMs: z.number(),
    commitMs: z.number(),
    ownRowPerSecond: z.number(),
    sameRowPerSecond: z.number(),
    cpuMsPerTransaction: z.number(),
  }),
  events: z.object({ apiCpuMs: z.number(), postgresCpuMs: z.number() }),
  sizes: z.object({
    calls: z.array(z.object({ transcriptChars: z.number(), tableBytes: z.number(), indexBytes: z.number() })),
    recipient: z.object({ tableBytes: z.number(), indexBytes: z.number() }),
  }),
  jobs: z.array(z.object({ job: z.string(), publishedTogether: z.number(), redisCpuMs: z.number() })),
  jobBytes: z.number(),
});
export type Measured = z.infer<typeof measuredSchema>;

/** The constants of the model. Milliseconds are CPU time on one core of the measured machine. */
export interface Constants {
  /** Postgres: the cost of each call in a batch, and the fixed cost of a batch. */
  postgresPerCallMs: number;
  postgresPerBatchMs: number;
  workerPerCallMs: number;
  workerPerBatchMs: number;
  redisPerCallMs: number;
  redisPerBatchMs: number;
  walBytesPerCall: number;
  walBytesPerBatch: number;
  apiPerEventMs: number;
  postgresPerEventMs: number;
  /** A flush, which several commits may share. */
  commitMs: number;
  tableBytesPerCall: (transcriptChars: number) => number;
  indexBytesPerCall: number;
  bytesPerRecipient: number;
  jobBytes: number;
}

/**
 * Solves for the cost of a call and of a batch from two workloads of the same calls, one with batches and one without: cost = call + batch / size.
 */
export function constantsOf(measured: Measured): Constants {
  const batched = find(measured, '100 campaigns of 10 lines');
  const single = find(measured, '400 campaigns of 1 line');
  const split = (key: 'postgresCpuMs' | 'workerCpuMs' | 'walBytes') => {
    const [few, many] = [1 / single.batches.claim, 1 / batched.batches.claim];
    const perBatch = Math.max(0, (single[key] - batched[key]) / (few - many));
    return { perBatch, perCall: single[key] - perBatch * few };
  };
  const postgres = split('postgresCpuMs');
  const worker = split('workerCpuMs');
  const wal = split('walBytes');
  const sizes = measured.sizes.calls.toSorted((a, b) => a.transcriptChars - b.transcriptChars);
  return {
    postgresPerCallMs: postgres.perCall,
    postgresPerBatchMs: postgres.perBatch,
    workerPerCallMs: worker.perCall,
    workerPerBatchMs: worker.perBatch,
    // Measured with a queue that is never empty, as on a busy Redis. On an idle queue a job costs more, because every job wakes a worker.
    redisPerCallMs: jobMs(measured, 'place-call'),
    redisPerBatchMs: advancesAsked * jobMs(measured, 'advance-campaign'),
    walBytesPerCall: wal.perCall,
    walBytesPerBatch: wal.perBatch,
    apiPerEventMs: measured.events.apiCpuMs,
    postgresPerEventMs: measured.events.postgresCpuMs,
    commitMs: measured.commits.commitMs,
    tableBytesPerCall: (chars) => interpolate(sizes, chars),
    indexBytesPerCall: sizes[0]?.indexBytes ?? 0,
    bytesPerRecipient: measured.sizes.recipient.tableBytes + measured.sizes.recipient.indexBytes,
    jobBytes: measured.jobBytes,
  };
}

/** Each end of a call requests an advance, and each advance plans the next. */
const advancesAsked = 2;

function jobMs(measured: Measured, name: string): number {
  const found = measured.jobs.find((job) => job.job === name && job.publishedTogether === 1);
  if (!found) throw new Error(`the constants have no job "${name}"; run measure.ts`);
  return found.redisCpuMs;
}

function find(measured: Measured, name: string): Measured['calls'][number] {
  const found = measured.calls.find((call) => call.name === name);
  if (!found) throw new Error(`the constants have no workload "${name}"; run measure.ts`);
  return found;
}

function interpolate(
  sizes: ReadonlyArray<{ transcriptChars: number; tableBytes: number }>,
  chars: number,
): number {
  const above = sizes.findIndex((size) => size.transcriptChars >= chars);
  const high = sizes[above === -1 ? sizes.length - 1 : above];
  const low = sizes[above <= 0 ? 0 : above - 1];
  if (!high || !low) return 0;
  if (high === low || high.transcriptChars === low.transcriptChars) return high.tableBytes;
  const share = (chars - low.transcriptChars) / (high.transcriptChars - low.transcriptChars);
  return low.tableBytes + Math.min(1, share) * (high.tableBytes - low.tableBytes);
}
