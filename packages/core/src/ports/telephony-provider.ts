import type { Outcome } from '../outcome.ts';

/**
 * What carries a call: an adapter that turns the engine's requests into a provider's protocol.
 *
 * Every method has a deadline of its own (the `signal`), never throws for what a provider
 * may answer (each answer is a variant of the result), and is safe to repeat.
 */
export interface TelephonyProvider {
  /** The row of `providers` whose lines and pace this adapter uses. */
  readonly name: string;
  /**
   * `lasting`: a second `place` with the same call id never dials again, however late it comes, and
   * `lookUp` says `unknown` only if the first one never arrived. The engine repeats a broken send only here.
   */
  readonly idempotency: 'lasting' | 'none';

  /** Dials. `request.callId` is the idempotency key. Resolves as soon as the provider has taken or refused the call. */
  place(request: PlaceCallRequest, signal: AbortSignal): Promise<PlaceResult>;
  /** What the provider knows of a call, by the engine's own id. */
  lookUp(call: CallReference, signal: AbortSignal): Promise<LookUpResult>;
  /** Ends a call. `confirmed` means that the line is free at the provider. */
  hangUp(call: CallReference, signal: AbortSignal): Promise<HangUpResult>;
  /**
   * Takes back a call that the provider has accepted and not dialed yet, since it queues calls. Absent where accepted means dialed.
   * Safe to repeat: a call that was withdrawn before is `withdrawn` again.
   */
  withdraw?(call: CallReference, signal: AbortSignal): Promise<WithdrawResult>;
  /** The recording's audio; null while there is none. */
  openRecording(call: CallReference, signal: AbortSignal): Promise<Recording | null>;
  /**
   * Tells the secret of its events from those of others, without telling it. Two providers may not share one: each could speak for the
   * other. Absent where events are not signed with a secret of the installation's.
   */
  readonly secretId?: string;
  /**
   * Deletes the recording where the provider keeps it. Absent where it keeps none, or cannot delete what it keeps. Safe to repeat: one that
   * is gone is `deleted`. The reference has no number any more.
   */
  deleteRecording?(call: CallReference, signal: AbortSignal): Promise<DeleteRecordingResult>;
  /** Reads a request that the provider sends, and verifies that it is the provider's; absent for providers that send none. */
  readEvent?(delivery: EventDelivery): EventReading;
  /**
   * Holds a connection on which the provider tells what happens to calls, and connects again whenever it breaks; absent where events
   * come by HTTP, or not at all. Every process that places calls listens, and only while it does may it place. Resolves when `signal` says
   * that it is enough.
   */
  listen?(listener: ProviderListener, signal: AbortSignal): Promise<void>;
}

/** Where an adapter takes what it hears on a connection of its own. */
export interface ProviderListener {
  /**
   * Resolves once the fact is recorded, with `false` where no call of this provider has this id. It is tried again for some minutes
   * while it cannot be recorded, so it never rejects, and resolves with `false` too when that was in vain.
   */
  deliver(callId: string, fact: CallFact): Promise<boolean>;
  /** Events may have been missed: the engine looks up every call of this provider that it takes for live. */
  eventsMissed(): Promise<void>;
  log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** An HTTP request that claims to come from a provider, before anything in it has been looked at. */
export interface EventDelivery {
  /** As the provider addressed it. */
  url: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

export type EventReading =
  | {
      kind: 'fact';
      callId: string;
      fact: CallFact;
      /** The provider's own id of the call, where the event names it. */
      conversationId?: string | null;
      /** Once the fact is recorded, the call is to be ended at the provider. */
      hangUp?: boolean;
    }
  /**
   * The provider has the call. `lookUp`: something else happened to it that only a look-up can tell. Read only from what proves that the
   * call was made here: where it is gone by then, it was withdrawn, and the event is good for nothing.
   */
  | { kind: 'accepted'; callId: string; conversationId: string; lookUp: boolean }
  /** Authentic, and nothing that changes a call. */
  | { kind: 'ignored'; reason: string }
  /** Unsigned, stale or forged. */
  | { kind: 'unauthenticated'; reason: string }
  /** Authentic, and not what was agreed. */
  | { kind: 'malformed'; faults: ReadonlyArray<{ path: readonly PropertyKey[]; message: string }> };

export interface PlaceCallRequest {
  callId: string;
  organizationId: string;
  agentId: string;
  /** Null for a call made with `POST /agents/{id}/call`. */
  campaignId: string | null;
  /** Numbered from 1 for each recipient. */
  attempt: number;
  toPhone: string;
  fromPhone: string | null;
  systemPrompt: string;
  promptParams: Record<string, string>;
  meta: Record<string, unknown>;
  agent: {
    name: string;
    config: Record<string, unknown>;
    skills: readonly AgentSkill[];
  };
  /** The instant at which the gate let this call through, by the database's clock. */
  gatedAt: Date;
  ringTimeoutSeconds: number;
  maxCallSeconds: number;
  /** What the voice runtime says before the agent's own greeting; null or absent for nothing. */
  disclosure?: { text: string; language: string } | null;
  /** Whether the call may be recorded: `off`, `announced` (the disclosure says so) or `on`; null or absent where no rule speaks of it. */
  recording?: 'off' | 'announced' | 'on' | null;
  /** How the voice runtime searches the agent's knowledge bases during this call. */
  knowledgeBase?: KnowledgeAccess | null;
  /** The media server that was chosen to carry the conversation; null or absent where the provider's own settings name one. */
  mediaRuntime?: MediaRuntime | null;
}

export interface MediaRuntime {
  /** `ws:` or `wss:`, without a query. */
  url: string;
  /** Names the call to it; letters, digits, `.`, `-` and `_`. */
  token: string;
  /** Whether the agent wants its calls recorded. */
  records: boolean;
}

export interface KnowledgeAccess {
  ids: readonly string[];
  /** With `{id}` in the place of a knowledge base's. */
  searchUrl: string;
  /** Good for these knowledge bases, and about as long as the call may last. */
  token: string;
}

export interface AgentSkill {
  id: string;
  type: string;
  exec_order: string;
  enabled: boolean;
  config: Record<string, unknown>;
}

/** What names a call at a provider; enough for an adapter that keeps nothing in memory. */
export interface CallReference {
  callId: string;
  organizationId: string;
  conversationId: string | null;
  toPhone: string;
  /** The caller id that the agent names; null or absent where the provider's own was used. */
  fromPhone?: string | null;
  attempt: number;
  systemPrompt: string;
  gatedAt: Date;
  recordingUrl: string | null;
  /** Where `conversationId` is null: ids that belong to other calls to this number, so none of them is this one's. */
  takenConversationIds?: readonly string[];
  /** The instant of this question, by the database's clock. */
  now: Date;
}

export type PlaceResult =
  /** The provider has the call. `progress` is what is known of it already, in order. */
  | {
      kind: 'accepted';
      conversationId: string | null;
      progress?: readonly CallFact[];
      nextChangeAt?: Date | null;
    }
  /** Not now (429, 503, a circuit that is open): no attempt is burned. */
  | { kind: 'defer'; retryAfterMs: number; reason: string }
  /** The provider's last word on this attempt. */
  | { kind: 'refused'; outcome: Outcome; externalStatus: string }
  /** It may or may not have dialed: only a look-up can tell. */
  | { kind: 'ambiguous'; reason: string }
  /** No connection came about, so nothing was sent: no attempt is burned, and the circuit breaker counts it. */
  | { kind: 'unreachable'; reason: string };

export type LookUpResult =
  /** `nextChangeAt`: when a further look-up would tell something new, where the adapter knows it. */
  | {
      kind: 'found';
      conversationId: string | null;
      progress: readonly CallFact[];
      nextChangeAt: Date | null;
    }
  /** The provider never saw this call. */
  | { kind: 'unknown' }
  /** It was canceled while it waited in the provider's queue, so no one was called: no attempt is burned. */
  | { kind: 'withdrawn' }
  | { kind: 'unreachable'; reason: string };

export type WithdrawResult =
  /** It will never be dialed. */
  | { kind: 'withdrawn' }
  /** It was dialed before; it goes on, or ends as it may. */
  | { kind: 'too_late' }
  | { kind: 'unreachable'; reason: string };

export type DeleteRecordingResult =
  | { kind: 'deleted' }
  /** It says that it will not. */
  | { kind: 'refused'; reason: string }
  | { kind: 'unreachable'; reason: string };

export type HangUpResult =
  | { kind: 'confirmed' }
  | { kind: 'requested' }
  | { kind: 'unreachable'; reason: string };

/** One thing that happened to a call, as a provider tells it. Facts may come late, twice and in any order. */
export type CallFact = {
  /** The provider's id of this event: the same id is applied once. Null where it has none. */
  eventId: string | null;
  at: Date;
} & (
  | { kind: 'ringing' }
  | { kind: 'answered' }
  /** A machine has answered, and the call goes on; an end as `completed` then is one as `voicemail`. */
  | { kind: 'machine'; answeredBy: string }
  | { kind: 'ended'; outcome: Outcome; details: CallEnd }
  | { kind: 'transcript'; transcript: string }
  /** What was read out of the conversation, by the agent's schema. */
  | { kind: 'extract'; extract: Record<string, unknown> }
  | { kind: 'recording'; recordingUrl: string }
  /** The person pressed a key. */
  | { kind: 'dtmf'; digit: string }
  /** The disclosure was played to its end. */
  | { kind: 'disclosed' }
  /** A voice has begun to talk with the person who answered. */
  | { kind: 'connected' }
  /** Somebody answered, and no voice was there within two seconds. */
  | { kind: 'abandoned' }
  /** The person wants no further calls, and has said so in this way. */
  | { kind: 'opt_out'; by: 'key' | 'speech' | 'message' }
);

export interface CallEnd {
  durationSeconds?: number | null;
  cost?: number | null;
  transcript?: string | null;
  recordingUrl?: string | null;
  callExtract?: Record<string, unknown> | null;
  externalStatus?: string | null;
}

export interface Recording {
  contentType: string;
  /** Bytes, where known; needed for Range. */
  size: number | null;
  /** `range` holds inclusive byte offsets. */
  read(range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
}
