import type { AgentVoice, VoiceFault } from '@outdial/contracts';
import type { AgentSkill, CallerPlace, CallKind } from '@outdial/core';
import type { Db } from '@outdial/db';
import type { Publisher } from '@outdial/queues';
import type { VoiceEndpoints } from '@outdial/runtime';
import type { Dispatcher } from 'undici';
import type { ChatFigures, Dialects, ModelFailedError } from '../language-model/index.ts';
import type { CheckedFetch } from '../tools/checked-fetch.ts';
import type { ToolEnd } from '../tools/run-tool.ts';
import type { Conversation, RealtimeConversation } from './conversation.ts';
import type { OptOuts } from './opt-outs.ts';

/** Shared by all conversations of one process. */
export interface ConversationDeps {
  db: Db;
  /** Null in a chat on a terminal, where no number is suppressed. */
  publisher: Publisher | null;
  endpoints: VoiceEndpoints;
  /** Connections to the endpoints, kept open between answers. */
  connections: Dispatcher;
  /** What was learned of the servers on other calls. */
  dialects?: Dialects;
  /** Null if tools may not use HTTP. */
  http: { fetch: CheckedFetch; hosts: readonly string[]; secret: string } | null;
  log: Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;
  onFigures?: (figures: ChatFigures) => void;
  onModelFailure?: (failure: ModelFailedError) => void;
  onToolEnd?: ((tool: string, end: ToolEnd) => void) | undefined;
  /** Whether an endpoint failed recently and should be skipped. */
  isDown?: (endpoint: string) => boolean;
}

/** The facts about a call that its conversation needs. */
export interface ConversationCall {
  id: string;
  organizationId: string;
  agentId: string;
  config: Readonly<Record<string, unknown>>;
  skills: readonly AgentSkill[];
  prompt: { text: string; mitigation: string; harmfulIntents: readonly unknown[] };
  promptParams: Readonly<Record<string, string>>;
  /** Absent in a chat on a terminal, which has no call. */
  kind?: CallKind;
  /** Null on a terminal and in a browser. */
  phoneNumber: string | null;
  /** The number of the agent's side; absent or null if it is not known. */
  fromPhone?: string | null;
  /** What the caller of the API said of the person's location. */
  place: CallerPlace;
}

export type OpenedConversation =
  | {
      kind: 'open';
      conversation: Conversation;
      /** The same conversation, if it uses a realtime model. */
      realtime: RealtimeConversation | null;
      voice: AgentVoice;
      /** The agent speaks first: it has a greeting or a disclosure. */
      greets: boolean;
      /** The text that the agent must say before its greeting, or null. */
      disclosure: string | null;
      /** The agent wants its calls recorded, and the law allows it. */
      records: boolean;
      /** Null if the call has no number. */
      optOuts: OptOuts | null;
    }
  /** The agent has no `config.voice`, or an invalid one. Paths of the faults begin in `config`. */
  | { kind: 'refused'; faults: VoiceFault[] };
