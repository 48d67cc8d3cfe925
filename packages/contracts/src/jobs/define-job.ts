import type { z } from 'zod';

/** How often the queue retries a job whose handler failed, and the delay before each retry. */
export interface JobRetry {
  /** The total number of runs: 1 means that the queue never retries. */
  readonly attempts: number;
  /** The delay before the second run; doubles before each further one. */
  readonly backoffMs: number;
}

export interface JobDefinition<Name extends string = string, Schema extends z.ZodObject = z.ZodObject> {
  /** The name of the job and of its queue; kebab-case. */
  readonly name: Name;
  /** Parsed when the job is published and when it is consumed. Unknown fields are dropped, so a newer publisher may add fields. */
  readonly payload: Schema;
  /** A longer run is aborted through its signal, and the job fails. */
  readonly timeoutMs: number;
  readonly retry: JobRetry;
  /** Whether another worker reruns the job if its worker dies. True only if a second run is harmless and no sweep repairs the work sooner. */
  readonly rerunAfterCrash: boolean;
  /** Waiting jobs with the same key collapse into one. A job that is published while one with its key is active runs once after it. Without a key, every job runs. */
  readonly deduplicateBy?: (payload: z.output<Schema>) => string;
  /** The organization whose turn it takes in the queue. Jobs without one run before the others, in the order in which they were published. */
  readonly turnOf?: (payload: z.output<Schema>) => string | undefined;
  /** Continues the trace of the job that published it. All other jobs that a job publishes begin a new trace. */
  readonly staysInTrace?: true;
}

export type JobInput<Job extends JobDefinition> = z.input<Job['payload']>;

export type JobPayload<Job extends JobDefinition> = z.output<Job['payload']>;

/** Declares a job for its publisher and its consumer. Payloads contain ids only. New fields must be optional, because older jobs may still be in the queue. */
export function defineJob<Name extends string, Schema extends z.ZodObject>(
  definition: JobDefinition<Name, Schema>,
): JobDefinition<Name, Schema> {
  return definition;
}
