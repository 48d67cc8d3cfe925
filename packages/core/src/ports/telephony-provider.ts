import type { InboundRefusal } from '../inbound/inbound-call.ts';
import type { Outcome } from '../outcome.ts';

/**
 * Carries calls: an adapter that translates the engine's requests into a provider's protocol.
 *
 * Every method has its own deadline (the `signal`), does not throw for any answer of a provider
 * (each answer is a variant of the result), and is safe to repeat.
 */
export interface TelephonyProvider {
  /** The row of `providers` whose lines and pace this adapter uses. */
  readonly name: string;
  /**
   * `lasting`: a second `place` with the same call id never dials again, however late it comes, and
   * `lookUp` answers `unknown` only if the first one never arrived. Only then does the engine repeat a broken send.
   */
  readonly idempotency: 'lasting' | 'none';

  /** Absent if it carries sound alone, to any address. */
  readonly media?: MediaSupport;
  /** It accepts calls before it knows whether its carrier takes them. They may end with the `fault` of the account. */
  readonly acceptsUnasked?: true;

  /** Dials. `request.callId` is the idempotency key. Resolves as soon as the provider has accepted or refused the call. */
  place(request: PlaceCallRequest, signal: AbortSignal): Promise<PlaceResult>;
  /** The provider's state of a call, by the engine's own id. */
  lookUp(call: CallReference, signal: AbortSignal): Promise<LookUpResult>;
  /** Ends a call. `confirmed` means that the line is free at the provider. */
  hangUp(call: CallReference, signal: AbortSignal): Promise<HangUpResult>;
  /**
   * Withdraws a call that the provider has accepted into its queue but not dialed yet. Absent if the provider dials accepted calls at once.
   * Safe to repeat: a call that was already withdrawn is `withdrawn` again.
   */
  withdraw?(call: CallReference, signal: AbortSignal): Promise<WithdrawResult>;
  /** The calls that the provider has made since an instant, for a comparison after a restore. Absent if it has no such list. */
  listCalls?(since: Date, signal: AbortSignal): Promise<CallList>;
  /** The recording's audio; null while there is none. */
  openRecording(call: CallReference, signal: AbortSignal): Promise<Recording | null>;
  /**
   * A fingerprint of the secret that signs this provider's events; it does not reveal the secret. Two providers may not share one, because each could forge the
   * other's events. Absent if events are not signed with a secret of the installation.
   */
  readonly secretId?: string;
  /**
   * Deletes the recording at the provider. Absent if the provider stores none, or cannot delete it. Safe to repeat: a recording that
   * is already gone is `deleted`. The reference no longer contains the number.
   */
  deleteRecording?(call: CallReference, signal: AbortSignal): Promise<DeleteRecordingResult>;
  /** Headers, in lower case, of every authentic request from the provider. Without them, its body is not read. Absent for providers that send none. */
  readonly signatureHeaders?: readonly string[];
  /** Parses a request from the provider, and verifies that it is authentic; absent for providers that send none. */
  readEvent?(delivery: EventDelivery): EventReading;
  /** Parses and verifies a request from the provider about a call that comes in; absent if it announces none by HTTP. */
  readInbound?(delivery: EventDelivery): InboundReading;
  /** The answer to a request about a call that comes in. Present together with `readInbound`. */
  answerInbound?(answer: InboundAnswer): { contentType: string; body: string };
  /**
   * Holds a connection on which the provider reports events of calls, and reconnects whenever it breaks; absent if events
   * come by HTTP, or not at all. Every process that places calls listens, and may place calls only while it does. Resolves when `signal`
   * is aborted.
   */
  listen?(listener: ProviderListener, signal: AbortSignal): Promise<void>;
  /** Presses keys on an answered call: digits, `*`, `#`, `A` to `D`, and `w` for half a second. False if they were not pressed. Absent if the provider cannot. */
  pressKeys?(callId: string, digits: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Transfers the person on an answered call. Resolves once that is decided; until then the media connection stays, and after `connected` the call
   * continues without it, until either side hangs up. An abort gives up a call that is not answered. Absent if the provider cannot.
   */
  transfer?(request: TransferRequest, signal: AbortSignal): Promise<TransferResult>;
}

export interface TransferRequest {
  callId: string;
  toPhone: string;
  ringTimeoutSeconds: number;
  /** The longest that the two may talk. */
  maxCallSeconds: number;
  /**
   * Asks the target, once they have answered, whether they take the call. `join` puts the person on hold, with a sound, and lets the agent talk with the
   * target alone. A no, or a target who hangs up, which aborts the signal, returns the person to the agent. Absent: all are connected at once.
   */
  brief?: Briefing | undefined;
}

/** Resolves to whether the target takes the call; must not reject. `join` resolves to false if it failed. */
export type Briefing = (join: () => Promise<boolean>, signal: AbortSignal) => Promise<boolean>;

/** `not_taken`: something answered, such as a mailbox, but nobody took the call. */
export type TransferResult = 'connected' | 'busy' | 'no_answer' | 'not_taken' | 'failed';

/** Receives the events that an adapter reads from its own connection. */
export interface ProviderListener {
  /**
   * Resolves with true once the fact is recorded, and with `false` if no call of this provider has this id. If recording fails, it is retried for some minutes,
   * so this never rejects; if all retries fail, it resolves with `false` too.
   */
  deliver(callId: string, fact: CallFact): Promise<boolean>;
  /** Decides about a call that comes in. Never rejects. Absent if this process answers none. */
  inbound?(call: InboundCall): Promise<InboundAnswer>;
  /** Call this when events may have been missed: the engine looks up every call of this provider that it considers live. */
  eventsMissed(): Promise<void>;
  log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** An incoming call to a number of the installation. */
export interface InboundCall {
  conversationId: string;
  /** The number that is called, in E.164; null if the provider names none. */
  toPhone: string | null;
  /** The caller's; null if it is withheld. Callers can forge it. */
  fromPhone: string | null;
}

export type InboundAnswer =
  | {
      kind: 'answered';
      callId: string;
      agentId: string;
      runtime: MediaRuntime;
      /** By then everything that belongs to the call is over. */
      longestSeconds: number;
    }
  /** The caller hears a busy line, or that the number is not in use. */
  | { kind: 'refused'; reason: InboundRefusal; isUnknownNumber: boolean };

export type InboundReading =
  | { kind: 'call'; call: InboundCall }
  /** An inbound call has ended; it is found by the number that was called, and by the provider's id. */
  | { kind: 'ended'; toPhone: string; conversationId: string; fact: CallFact }
  | Extract<EventReading, { kind: 'ignored' | 'unauthenticated' | 'malformed' }>;

/** An unverified HTTP request that claims to come from a provider. */
export interface EventDelivery {
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
      /** The provider's own id of the call, if the event contains it. */
      conversationId?: string | null;
      /** Once the fact is recorded, end the call at the provider. */
      hangUp?: boolean;
    }
  /**
   * The provider has the call. `lookUp`: another change happened that only a look-up can reveal. Use this only for events that prove that the
   * call was made here: if the call is gone by then, it was withdrawn, and the event is ignored.
   */
  | { kind: 'accepted'; callId: string; conversationId: string; lookUp: boolean }
  /** Authentic, but without a change to a call. */
  | { kind: 'ignored'; reason: string }
  /** Unsigned, stale or forged. */
  | { kind: 'unauthenticated'; reason: string }
  /** Authentic, but against the protocol. */
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
  /** The instant at which this call passed its gate, by the database's clock. */
  gatedAt: Date;
  ringTimeoutSeconds: number;
  maxCallSeconds: number;
  /** The text that the voice runtime speaks before the agent's own greeting; null or absent for none. */
  disclosure?: { text: string; language: string } | null;
  /** Whether the call may be recorded: `off`, `announced` (by the disclosure) or `on`; null or absent if no rule applies. */
  recording?: 'off' | 'announced' | 'on' | null;
  /** How the voice runtime searches the agent's knowledge bases during this call. */
  knowledgeBase?: KnowledgeAccess | null;
  /** The media server chosen for the conversation; null or absent if the provider's own settings name one. */
  mediaRuntime?: MediaRuntime | null;
}

export interface MediaRuntime {
  /** `ws:` or `wss:`, without a query. */
  url: string;
  /** Identifies the call to the media server; letters, digits, `.`, `-` and `_`. */
  token: string;
  /** Whether the agent's config requests a recording. */
  records: boolean;
  /** How the carrier converts speech, if the media server exchanges text with it. Null or absent if audio is carried. */
  text?: { language: string; voice: string | null } | null;
}

/** How a carrier connects calls with media servers. */
export interface MediaSupport {
  /** It can hear and speak itself, and carry the words. */
  text: boolean;
  /** It connects to `wss:` addresses alone. */
  secureOnly: boolean;
}

export interface KnowledgeAccess {
  ids: readonly string[];
  /** With `{id}` in place of a knowledge base's id. */
  searchUrl: string;
  /** Valid for these knowledge bases, and for about as long as the call may last. */
  token: string;
}

export interface AgentSkill {
  id: string;
  type: string;
  exec_order: string;
  enabled: boolean;
  config: Record<string, unknown>;
}

/** Identifies a call at a provider, with enough data for an adapter without memory. */
export interface CallReference {
  callId: string;
  organizationId: string;
  conversationId: string | null;
  toPhone: string;
  /** The caller id that the agent names; null or absent if the provider's own was used. */
  fromPhone?: string | null;
  attempt: number;
  systemPrompt: string;
  gatedAt: Date;
  recordingUrl: string | null;
  /** If `conversationId` is null: ids that belong to other calls to this number, and so not to this one. */
  takenConversationIds?: readonly string[];
  /** The instant of this request, by the database's clock. */
  now: Date;
}

export type PlaceResult =
  /** The provider has the call. `progress` contains the facts that are already known, in order. */
  | {
      kind: 'accepted';
      conversationId: string | null;
      progress?: readonly CallFact[];
      nextChangeAt?: Date | null;
    }
  /** Not now (429, 503, an open circuit): no attempt is burned. */
  | { kind: 'defer'; retryAfterMs: number; reason: string }
  /**
   * The provider's final answer to this attempt. `isUnknownCode`: the adapter does not know whether the code concerns the number. If the provider gives
   * it to several people in a row, it is taken as the account's.
   */
  | { kind: 'refused'; outcome: Outcome; externalStatus: string; isUnknownCode?: boolean }
  /** Not the number, but the account, the configuration or the address is wrong. Nothing was dialed: no attempt is burned. */
  | ({ kind: 'misconfigured' } & Misconfiguration)
  /** The provider may or may not have dialed: only a look-up can tell. `fault`: the answer is not from the provider, so the circuit opens at once. */
  | { kind: 'ambiguous'; reason: string; fault?: Omit<Misconfiguration, 'of'> }
  /** The connection failed, so nothing was sent: no attempt is burned, and the circuit breaker counts the failure. */
  | { kind: 'unreachable'; reason: string };

export interface Misconfiguration {
  /** Whose calls get this answer: all of the provider, or those of the agent, which must not stop the calls of others. */
  of: 'provider' | 'agent';
  /** The provider's code, such as `http_401`. */
  code: string;
  /** What to do about it: one sentence for an operator. */
  remedy: string;
}

export type LookUpResult =
  /** `nextChangeAt`: when a further look-up will find news, if the adapter knows. */
  | {
      kind: 'found';
      conversationId: string | null;
      progress: readonly CallFact[];
      nextChangeAt: Date | null;
    }
  /** The provider never saw this call. */
  | { kind: 'unknown' }
  /** The call was canceled in the provider's queue, so the person was not called: no attempt is burned. */
  | { kind: 'withdrawn' }
  | { kind: 'unreachable'; reason: string };

export type CallList =
  /** `areInProgress`: calls that have ended are not in the list. */
  | { kind: 'listed'; calls: readonly ListedCall[]; areInProgress: boolean }
  | { kind: 'unreachable'; reason: string };

export interface ListedCall {
  /** The provider's own id. */
  conversationId: string;
  /** The engine's id, if the provider knows it. */
  callId: string | null;
  toPhone: string | null;
  at: Date | null;
}

export type WithdrawResult =
  /** The call will never be dialed. */
  | { kind: 'withdrawn' }
  /** The call was already dialed and takes its course. */
  | { kind: 'too_late' }
  | { kind: 'unreachable'; reason: string };

export type DeleteRecordingResult =
  | { kind: 'deleted' }
  | { kind: 'refused'; reason: string }
  | { kind: 'unreachable'; reason: string };

export type HangUpResult =
  | { kind: 'confirmed' }
  | { kind: 'requested' }
  | { kind: 'unreachable'; reason: string };

/** One event of a call, as a provider reports it. Facts may come late, twice and in any order. */
export type CallFact = {
  /** The provider's id of this event: each id is applied once. Null if it has none. */
  eventId: string | null;
  at: Date;
} & (
  | { kind: 'ringing' }
  | { kind: 'answered' }
  /** A machine has answered, and the call continues. If it then ends as `completed`, the outcome is `voicemail`. */
  | { kind: 'machine'; answeredBy: string }
  /** What the voice runtime found of a call that continues. If it then ends as `completed`, this is the outcome. */
  | { kind: 'counts_as'; outcome: 'failed' | 'invalid_number'; reason: string }
  /** `fault`: nobody was called, and the call is not to blame. If it was not known to ring, its attempt is undone. */
  | { kind: 'ended'; outcome: Outcome; details: CallEnd; fault?: CallFault }
  | { kind: 'transcript'; transcript: string }
  /** Data extracted from the conversation, by the agent's schema. */
  | { kind: 'extract'; extract: Record<string, unknown> }
  | { kind: 'recording'; recordingUrl: string }
  /** The person pressed a key. */
  | { kind: 'dtmf'; digit: string }
  /** The disclosure was played to its end. */
  | { kind: 'disclosed' }
  /** A voice has begun to talk with the person who answered. */
  | { kind: 'connected' }
  /** The call was answered, but no voice was present within two seconds. */
  | { kind: 'abandoned' }
  /** The person asked for no further calls, in this way. */
  | { kind: 'opt_out'; by: 'key' | 'speech' | 'message' }
);

/** `isUnknownCode`: it may be the number's, unless several people in a row get it. */
export type CallFault = Omit<Misconfiguration, 'of'> & { isUnknownCode?: boolean };

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
  size: number | null;
  /** `range` holds inclusive byte offsets. */
  read(range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
}
