/** The backend did not confirm the job in time. The job may still arrive. */
export class QueueUnavailableError extends Error {
  readonly code = 'queue_unavailable';
  constructor(job: string, cause: unknown) {
    super(`the queue ${job} cannot be reached`, { cause });
    this.name = 'QueueUnavailableError';
  }
}

/** The payload does not match the job's schema. The message names the fields, never their values. */
export class InvalidJobPayloadError extends Error {
  readonly code = 'invalid_job_payload';
  constructor(job: string, faults: string) {
    super(`invalid payload for ${job}: ${faults}`);
    this.name = 'InvalidJobPayloadError';
  }
}

/** The handler ran longer than the job's `timeoutMs`; its signal was aborted with this error. */
export class JobTimeoutError extends Error {
  readonly code = 'job_timeout';
  constructor(job: string, timeoutMs: number) {
    super(`${job} ran longer than ${timeoutMs} ms`);
    this.name = 'JobTimeoutError';
  }
}

/** The consumer was closed and the time to drain ran out. */
export class ConsumerClosedError extends Error {
  readonly code = 'consumer_closed';
  constructor() {
    super('the worker is shutting down');
    this.name = 'ConsumerClosedError';
  }
}
