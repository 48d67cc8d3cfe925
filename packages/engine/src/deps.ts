import type {
  AgentSkill,
  FileStore,
  KnowledgeAccess,
  MediaRuntime,
  MediaSupport,
  TelephonyProvider,
} from '@outdial/core';
import type { Db, Executor } from '@outdial/db';
import type { Publisher } from '@outdial/queues';
import type { LocalTimers } from './local-timers.ts';

/** The subset of a logger that the engine uses; pino provides it. */
export interface EngineLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The labels under which a call is counted. */
export interface CountedCall {
  provider: string;
  organizationId: string;
}

export interface EngineMetrics {
  callPlaced(provider: string): void;
  /** How long a provider took to accept or refuse a call, or how long we waited for it. */
  providerAnswered?(provider: string, result: string, ms: number): void;
  /** The person answered this long after the gate. */
  callAnswered?(call: CountedCall, ms: number): void;
  /** `talkMs` is the time since the answer; null if there was none. */
  callEnded(outcome: string, call: CountedCall, talkMs: number | null): void;
  gateRefused(reason: string): void;
  /** A provider asked to place a call later. */
  callDeferred?(provider: string, reason: string): void;
}

/** The dependencies for changing campaigns and calls: the database and the queue. */
export interface ControlDeps {
  db: Db;
  publisher: Publisher;
  log: EngineLog;
}

export interface DialingSettings {
  /** How long a claim is reserved for its worker. */
  leaseSeconds: number;
  /** Sent to the provider: how long a phone may ring. */
  ringTimeoutSeconds: number;
  /** The longest conversation; past it the call is hung up. */
  maxCallSeconds: number;
  /** How long a direct call waits for a line. */
  callQueueTimeoutSeconds: number;
  /** How long after its gate a send may begin; at most, and unless set, as in timing.ts. */
  sendStartMs?: number;
}

/** The dependencies of dialing, in a worker. */
export interface DialingDeps extends ControlDeps {
  /** Adapters by the name of their row in `providers`. */
  providers: ReadonlyMap<string, TelephonyProvider>;
  settings: DialingSettings;
  timers: LocalTimers;
  metrics: EngineMetrics;
  /** Where voice processes keep recordings; absent if there are none. */
  files?: FileStore;
  /** The access that a voice runtime gets to an agent's knowledge bases. Null or absent: none. */
  knowledgeAccess?: (call: {
    callId: string;
    organizationId: string;
    skills: readonly AgentSkill[];
    now: Date;
  }) => Promise<KnowledgeAccess | null>;
  /** The media servers of the installation, if any. */
  mediaRuntimes?: MediaRuntimes;
}

/** Media servers that carry conversations, each with a limited capacity. */
export interface MediaRuntimes {
  /** How many further calls of an agent fit now; null if the agent's calls need no media server. */
  room(db: Executor, agent: { organizationId: string; agentId: string }): Promise<number | null>;
  /** Chooses a server for a call and reserves its place. */
  choose(call: {
    callId: string;
    organizationId: string;
    config: Record<string, unknown>;
    now: Date;
    /** Of the carrier that is to place the call. */
    support: MediaSupport;
  }): Promise<MediaChoice>;
  /** Releases the place of a call that is not placed now. */
  release(callId: string): Promise<void>;
}

export type MediaChoice =
  | { kind: 'none' }
  | { kind: 'chosen'; runtime: MediaRuntime }
  /** The call is deferred and uses no attempt. */
  | { kind: 'wait'; retryAfterMs: number; reason: string };
