import type { z } from 'zod';

/** How often the queue itself runs a job whose handler failed, and how long it waits in between. */
export interface JobRetry {
  /** Runs in all, the first one included: 1 means that the queue never retries. */
  readonly attempts: number;
  /** The wait before the second run; doubled before each further one. */
  readonly backoffMs: number;
}

export interface JobDefinition<Name extends string = string, Schema extends z.ZodObject = z.ZodObject> {
  /** The name of the job and of its queue; kebab-case. */
  readonly name: Name;
  /** Parsed when published and again when consumed. Unknown fields are dropped, so a newer publisher may add some. */
  readonly payload: Schema;
  /** A run that takes longer is aborted through its signal, and the job fails. */
  readonly timeoutMs: number;
  readonly retry: JobRetry;
  /** Whether another worker repeats the job if its worker dies. True only if a second run is harmless, and nothing else would repair it sooner. */
  readonly rerunAfterCrash: boolean;
  /**
   * Waiting jobs with the same key collapse into one. A job that is published while one with its key is active runs once after it. Without
   * a key, every job runs.
   */
  readonly deduplicateBy?: (payload: z.output<Schema>) => string;
  /** Continues the trace of the job that published it. All other jobs that a job publishes begin a new trace. */
  readonly staysInTrace?: true;
}

export type JobInput<Job extends JobDefinition> = z.input<Job['payload']>;

/** The payload that a job's handler receives. */
export type JobPayload<Job extends JobDefinition> = z.output<Job['payload']>;

/**
 * Declares a job once, for its publisher and its consumer alike.
 * The rules for changing one: payloads carry ids only, and new fields are optional, since older jobs are still in flight.
 */
export function defineJob<Name extends string, Schema extends z.ZodObject>(
  definition: JobDefinition<Name, Schema>,
): JobDefinition<Name, Schema> {
  return definition;
}
