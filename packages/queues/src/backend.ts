import type { JobDefinition } from '@outdial/contracts';
import type { JobsOptions, Processor, Queue, WorkerOptions } from 'bullmq';

export interface QueuedJob {
  readonly name: string;
  readonly data: unknown;
  readonly opts: JobsOptions;
}

/** The writing end of one queue: the part of a BullMQ queue that both backends have in common. */
export interface JobQueue {
  /** Rejects when the queue could not be set up; it never recovers from that and has to be opened again. */
  whenReady(): Promise<unknown>;
  add(job: QueuedJob): Promise<unknown>;
  addBulk(jobs: QueuedJob[]): Promise<unknown>;
  close(): Promise<void>;
}

/** The reading end of one queue. */
export interface JobWorker {
  /** Takes no further job and resolves when the active ones have ended. */
  close(): Promise<void>;
}

export type WorkerSettings = Omit<WorkerOptions, 'connection' | 'prefix'>;

export interface WorkerSpec {
  readonly job: JobDefinition;
  readonly process: Processor<unknown, void>;
  readonly settings: WorkerSettings;
  /** Errors of the worker itself (not of a handler) that are not about a lost connection. */
  readonly onError: (error: Error) => void;
  /** A job was found whose worker had died, or was too slow to keep its lock. */
  readonly onStalled: (jobId: string) => void;
  /** Told of active jobs whose locks could not be renewed: they ended meanwhile, or the queue forgot them or gave them to another worker. */
  readonly onLocksLost: (jobIds: readonly string[]) => void;
}

/** One connection (or pool) to Redis or Postgres that all queues of a publisher or consumer share. */
export interface QueueBackend {
  openQueue(job: JobDefinition): JobQueue;
  openWorker(spec: WorkerSpec): JobWorker;
  /** Resolves when the backend has answered; rejects where it cannot be reached or is not prepared. May take as long as a connection. */
  ping(): Promise<void>;
  /** For tools that read queues, such as bull-board. */
  openBullQueue(job: JobDefinition): Queue;
  /** Ends the connections at once, even those in use. */
  close(): Promise<void>;
}

/**
 * `publisher` fails fast when the backend is away; `consumer` waits for it to come back.
 */
export type BackendRole = 'publisher' | 'consumer';
