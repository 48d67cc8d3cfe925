import type { JobDefinition } from '@outdial/contracts';
import type { JobsOptions, Processor, Queue, WorkerOptions } from 'bullmq';

export interface QueuedJob {
  readonly name: string;
  readonly data: unknown;
  readonly opts: JobsOptions;
}

/** The writing end of one queue: the part of a BullMQ queue that both backends share. */
export interface JobQueue {
  /** Rejects if the queue could not be set up. It never recovers, and has to be opened again. */
  whenReady(): Promise<unknown>;
  add(job: QueuedJob): Promise<unknown>;
  addBulk(jobs: QueuedJob[]): Promise<unknown>;
  close(): Promise<void>;
}

/** The reading end of one queue. */
export interface JobWorker {
  /** Takes no more jobs, and resolves when the active ones have ended. */
  close(): Promise<void>;
}

export type WorkerSettings = Omit<WorkerOptions, 'connection' | 'prefix'>;

export interface WorkerSpec {
  readonly job: JobDefinition;
  readonly process: Processor<unknown, void>;
  readonly settings: WorkerSettings;
  /** Errors of the worker itself, except lost connections and failed handlers. */
  readonly onError: (error: Error) => void;
  /** Called for a job whose worker died, or was too slow to renew its lock. */
  readonly onStalled: (jobId: string) => void;
  /** Called with active jobs whose locks could not be renewed: they have ended, or the queue lost them or gave them to another worker. */
  readonly onLocksLost: (jobIds: readonly string[]) => void;
}

/** One connection (or pool) to Redis or Postgres that all queues of a publisher or consumer share. */
export interface QueueBackend {
  openQueue(job: JobDefinition): JobQueue;
  openWorker(spec: WorkerSpec): JobWorker;
  /**
   * Rejects if the backend cannot be reached or its schema is missing. May take as long as a new connection. Returns what is wrong with a backend that
   * works, or null.
   */
  ping(): Promise<string | null>;
  /** For tools that read queues, such as bull-board. */
  openBullQueue(job: JobDefinition): Queue;
  /** Closes the connections at once, even those in use. */
  close(): Promise<void>;
}

/** A `publisher` fails fast if the backend is down; a `consumer` waits for it. */
export type BackendRole = 'publisher' | 'consumer';
