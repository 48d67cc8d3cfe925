/** The part of pino that the queues need. */
export interface QueueLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type JobResult = 'completed' | 'failed' | 'timed_out' | 'invalid';

export interface JobMetrics {
  /** Called at the end of every run of a job. */
  jobFinished(job: string, result: JobResult, durationMs: number): void;
}
