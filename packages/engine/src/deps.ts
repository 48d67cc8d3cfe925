import type {
  AgentSkill,
  FileStore,
  KnowledgeAccess,
  MediaRuntime,
  MediaSupport,
  TelephonyProvider,
} from '@outdial/core';
import type { AgentKey, Db, Executor, Tx } from '@outdial/db';
import type { Publisher } from '@outdial/queues';
import type { LocalTimers } from './local-timers.ts';

export interface EngineLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

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

export interface ControlDeps {
  db: Db;
  publisher: Publisher;
  log: EngineLog;
  /** Advances campaigns in this process; absent in processes that do not dial. */
  dialer?: { wake(campaignIds: Iterable<string>): void };
}

export interface EndingDeps extends ControlDeps {
  metrics: Pick<EngineMetrics, 'callAnswered' | 'callEnded'>;
}

export interface DialingSettings {
  /** Sent to the provider: how long a phone may ring. */
  ringTimeoutSeconds: number;
  maxCallSeconds: number;
  callQueueTimeoutSeconds: number;
  /** How long after its gate a send may start. Default: `sendStartMs` of timing.ts. */
  sendStartMs?: number;
}

export interface DialingDeps extends ControlDeps {
  /** Adapters by the name of their row in `providers`. */
  providers: ReadonlyMap<string, TelephonyProvider>;
  settings: DialingSettings;
  timers: LocalTimers;
  metrics: EngineMetrics;
  /** Where voice processes store recordings; absent without voice processes. */
  files?: FileStore;
  /** Grants a voice runtime access to the agent's knowledge bases; null or absent for no access. */
  knowledgeAccess?: (call: {
    callId: string;
    organizationId: string;
    skills: readonly AgentSkill[];
    now: Date;
  }) => Promise<KnowledgeAccess | null>;
  mediaRuntimes?: MediaRuntimes;
}

/** Media servers that carry conversations, each with a limited capacity. */
export interface MediaRuntimes {
  /** How many more calls of an agent the servers can take now; null if the agent's calls need no media server. */
  freeCapacity(db: Executor, agent: AgentKey): Promise<number | null>;
  /** Chooses a server for a call and reserves capacity on it. */
  choose(call: {
    callId: string;
    organizationId: string;
    config: Record<string, unknown>;
    now: Date;
    support: MediaSupport;
  }): Promise<MediaChoice>;
  /** Releases the capacity of a call that is not placed now. */
  release(callId: string): Promise<void>;
}

export type MediaChoice =
  | { kind: 'none' }
  | { kind: 'chosen'; runtime: MediaRuntime }
  /** The call is deferred, and burns no attempt. */
  | { kind: 'wait'; retryAfterMs: number; reason: string };

/** What the caller of a change requires of the campaign. It runs when the campaign is locked until the commit, and throws if it does not hold. */
export type Precondition = (tx: Tx) => Promise<void>;
