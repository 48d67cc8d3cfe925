/** The part of a logger that the queues need; pino has it. */
export interface QueueLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type JobResult = 'completed' | 'failed' | 'timed_out' | 'invalid';

/** Told about every run of a job when it ends. */
export interface JobMetrics {
  jobFinished(job: string, result: JobResult, durationMs: number): void;
}
