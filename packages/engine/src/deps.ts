import type { AgentSkill, KnowledgeAccess, MediaRuntime, TelephonyProvider } from '@outdial/core';
import type { Db, Executor } from '@outdial/db';
import type { Publisher } from '@outdial/queues';
import type { LocalTimers } from './local-timers.ts';

/** What the engine needs of a logger; pino's has it. */
export interface EngineLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What a call is counted by. */
export interface CountedCall {
  provider: string;
  organizationId: string;
}

export interface EngineMetrics {
  callPlaced(provider: string): void;
  /** How long a provider took to take or refuse a call, or was waited for. */
  providerAnswered?(provider: string, result: string, ms: number): void;
  /** The person answered, so long after the gate. */
  callAnswered?(call: CountedCall, ms: number): void;
  /** `talkMs` is the time since the answer; null where there was none. */
  callEnded(outcome: string, call: CountedCall, talkMs: number | null): void;
  gateRefused(reason: string): void;
  /** A provider asked to place a call later. */
  callDeferred?(provider: string, reason: string): void;
}

/** What changes the state of campaigns and calls, from whichever process: the truth, and the queue. */
export interface ControlDeps {
  db: Db;
  publisher: Publisher;
  log: EngineLog;
}

export interface DialingSettings {
  /** How long a claim is kept for its worker. */
  leaseSeconds: number;
  /** Sent to the provider: how long a phone may ring. */
  ringTimeoutSeconds: number;
  /** The longest conversation; past it the call is hung up. */
  maxCallSeconds: number;
  /** How long a direct call waits for a line. */
  callQueueTimeoutSeconds: number;
}

/** What dials: a worker's engine. */
export interface DialingDeps extends ControlDeps {
  /** Adapters by the name of their row in `providers`. */
  providers: ReadonlyMap<string, TelephonyProvider>;
  settings: DialingSettings;
  timers: LocalTimers;
  metrics: EngineMetrics;
  /** What a voice runtime gets to search the knowledge bases of an agent; null, or absent, where it gets nothing. */
  knowledgeAccess?: (call: {
    callId: string;
    organizationId: string;
    skills: readonly AgentSkill[];
    now: Date;
  }) => Promise<KnowledgeAccess | null>;
  /** Media servers of the installation, where it has some. */
  mediaRuntimes?: MediaRuntimes;
}

/** Media servers that carry conversations, each with room for so many. */
export interface MediaRuntimes {
  /** How many further calls of an agent they take now; null where the agent's calls need none of them. */
  room(db: Executor, agent: { organizationId: string; agentId: string }): Promise<number | null>;
  /** Chooses one for a call, and takes the room. */
  choose(call: {
    callId: string;
    organizationId: string;
    config: Record<string, unknown>;
    now: Date;
  }): Promise<MediaChoice>;
  /** Gives back the room of a call that is not placed now. */
  release(callId: string): Promise<void>;
}

export type MediaChoice =
  | { kind: 'none' }
  | { kind: 'chosen'; runtime: MediaRuntime }
  /** The call is deferred, and uses no attempt. */
  | { kind: 'wait'; retryAfterMs: number; reason: string };
