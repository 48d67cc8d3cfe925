import { type AgentVoice, readAgentVoice, type VoiceFault } from '@outdial/contracts';
import { type AgentSkill, type CallKind, judgeDestination, refusalOf } from '@outdial/core';
import {
  type Db,
  engineNow,
  findKnowledgeBase,
  findOrganizationLimits,
  inTransaction,
  loadAgentContext,
  searchPassages,
} from '@outdial/db';
import {
  destinationRules,
  openingOfCall,
  refusalOfTransfer,
  suppressIn,
  wantsRecording,
} from '@outdial/engine';
import type { Publisher } from '@outdial/queues';
import type { VoiceEndpoints } from '@outdial/runtime';
import type { Dispatcher } from 'undici';
import {
  chatEndpoint,
  type ChatFigures,
  type LanguageModel,
  type ModelFailedError,
  withFallbacks,
} from '../language-model/index.ts';
import type { CheckedFetch } from '../tools/checked-fetch.ts';
import type { SearchKnowledge } from '../tools/knowledge-base-tool.ts';
import type { ToolEnd } from '../tools/run-tool.ts';
import type { CallNote, Tool } from '../tools/tool.ts';
import { type LineAbilities, toolsOfAgent } from '../tools/tools-of-agent.ts';
import type { Conversation } from './conversation.ts';
import { createRealtimeConversation, type RealtimeConversation } from '../realtime/realtime-conversation.ts';
import { openSession } from '../realtime/open-session.ts';
import { createConversation } from './create-conversation.ts';

/** What conversations of one process share. */
export interface ConversationDeps {
  db: Db;
  /** Null if numbers are never suppressed, as on a terminal. */
  publisher: Publisher | null;
  endpoints: VoiceEndpoints;
  /** To the endpoints; kept open between answers. */
  connections: Dispatcher;
  /** What tools may ask over HTTP; null for nothing. */
  http: { fetch: CheckedFetch; hosts: readonly string[]; secret: string } | null;
  log: Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;
  onFigures?: (figures: ChatFigures) => void;
  onModelFailure?: (failure: ModelFailedError) => void;
  onToolEnd?: ((tool: string, end: ToolEnd) => void) | undefined;
  /** Whether an endpoint has failed lately, and is to be left out where another is there. */
  isDown?: (endpoint: string) => boolean;
}

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
  /** Of the person; null if there is none, as on a terminal and in a browser. */
  phoneNumber: string | null;
}

export type OpenedConversation =
  | {
      kind: 'open';
      conversation: Conversation;
      /** The same conversation, where its model hears and speaks. */
      realtime: RealtimeConversation | null;
      voice: AgentVoice;
      /** The agent speaks first: it has a greeting, or something that must be said before anything else. */
      greets: boolean;
      /** What it says before its greeting; null: nothing. */
      disclosure: string | null;
      /** It wants its calls recorded, and the law of the place allows it. */
      records: boolean;
    }
  /** The agent is not one that talks here, or its config is not right any more: the fields, by the way to them from `config`. */
  | { kind: 'refused'; faults: VoiceFault[] };

/**
 * The conversation of a call: the agent's voice, its tools, and the models that it names.
 * @param note takes entries for the call's `events`
 * @param change puts other tools in place of the agent's, for trials
 */
export async function openConversation(
  deps: ConversationDeps,
  call: ConversationCall,
  options: {
    note: (note: CallNote) => void;
    change?: (tools: readonly Tool[]) => readonly Tool[];
    /** There is no number: an opt-out is confirmed but suppresses nothing, and no transfer is dialed. */
    isRehearsal?: boolean;
    /** What the line can do besides sound. A skill that needs more leaves a note, and the model is not offered it. */
    carries: LineAbilities;
  },
): Promise<OpenedConversation> {
  const { note, change = (tools) => tools, isRehearsal = false } = options;
  const read = readAgentVoice(call.config, deps.endpoints, { byText: isRehearsal });
  if (read.kind === 'none') {
    return { kind: 'refused', faults: [{ path: ['voice'], message: 'is missing: name at least a `mode`' }] };
  }
  if (read.kind === 'faulty') return { kind: 'refused', faults: read.faults };
  const { voice } = read;
  const reach = await reachOf(deps, call, isRehearsal);
  // A carrier that carries words presses keys as well.
  const carries = voice.mode === 'relay' ? { ...options.carries, keys: true } : options.carries;
  const { tools, notes } = toolsOfAgent(call.skills, { ...reach, carries });
  for (const each of notes) note(each);
  const { disclosure, records } = await openingFor(deps.db, call);
  const agent = {
    prompt: call.prompt.text,
    mitigation: call.prompt.mitigation,
    harmfulIntents: call.prompt.harmfulIntents,
  };
  const parts = {
    agent,
    voice,
    promptParams: call.promptParams,
    tools: change(tools),
    disclosure,
    note,
    onFault: (err: unknown) => deps.log.error({ err, call_id: call.id }, 'a tool failed'),
    onToolEnd: deps.onToolEnd,
  };
  // By text, what a model would have heard and said is written.
  const realtime =
    voice.mode === 'realtime' && !isRehearsal
      ? createRealtimeConversation(parts, () => openSession(deps, parts))
      : null;
  const conversation = realtime ?? createConversation({ ...parts, model: modelOf(deps, voice, note) });
  return {
    kind: 'open',
    conversation,
    realtime,
    voice,
    greets: voice.greeting !== null || disclosure !== null,
    disclosure,
    records,
  };
}

/** The models of an agent, or of anybody else who talks. */
export function modelOf(
  deps: Pick<ConversationDeps, 'endpoints' | 'connections' | 'onFigures' | 'onModelFailure'>,
  { llm }: Pick<AgentVoice, 'llm'>,
  note: (note: CallNote) => void,
): LanguageModel {
  const names = [llm.endpoint, ...llm.fallbacks];
  const endpoints = names.flatMap((name, index) => {
    const endpoint = deps.endpoints.get(name);
    if (endpoint === undefined) return [];
    const model = (index === 0 ? llm.model : undefined) ?? endpoint.model ?? llm.model ?? null;
    const settings = { model, temperature: llm.temperature ?? null, silentMs: llm.timeout_ms };
    const onFigures = deps.onFigures;
    return chatEndpoint({
      endpoint,
      settings,
      connections: deps.connections,
      ...(onFigures !== undefined && { onFigures }),
    });
  });
  return withFallbacks(endpoints, {
    nowMs: () => performance.now(),
    onFailure(failure) {
      note({ type: 'endpoint_failed', endpoint: failure.endpoint, reason: failure.reason });
      deps.onModelFailure?.(failure);
    },
  });
}

async function reachOf(deps: ConversationDeps, call: ConversationCall, isRehearsal: boolean) {
  const { db } = deps;
  const { organizationId, agentId } = call;
  const rules = destinationRules(await findOrganizationLimits(db, organizationId));
  const clock = await engineNow(db);
  const aheadMs = clock.getTime() - Date.now();
  return {
    call: { callId: call.id, agentId, organizationId },
    search: knowledgeOf(db, organizationId),
    suppress: isRehearsal ? () => Promise.resolve() : suppressionOf(deps, call),
    mayDial: (number: string) => refusalOf(judgeDestination(number, rules)) === null,
    refusalOfTransfer: (toPhone: string) =>
      isRehearsal ? Promise.resolve(null) : refusalOfTransfer(db, { organizationId, toPhone }),
    http: deps.http,
    now: () => new Date(Date.now() + aheadMs),
  };
}

function knowledgeOf(db: Db, organizationId: string): SearchKnowledge {
  return async ({ knowledgeBaseId, question, limit }) => {
    // One that was deleted, or is of another organization, has nothing to say.
    if (!(await findKnowledgeBase(db, organizationId, knowledgeBaseId))) return [];
    const found = await searchPassages(db, { organizationId, knowledgeBaseId, question, limit });
    return found.map((passage) => ({
      knowledgeBaseId,
      itemId: passage.item_id,
      itemName: passage.item_name,
      page: passage.page,
      position: passage.position,
      score: passage.score,
      text: passage.text,
    }));
  };
}

/** Null if there is no number. */
function suppressionOf(
  { db, publisher, log }: ConversationDeps,
  { id, organizationId, phoneNumber }: ConversationCall,
): ((reason: string) => Promise<void>) | null {
  if (phoneNumber === null || publisher === null) return null;
  // Resolves after the commit. A sweep withdraws calls that wait for the number at a carrier, should the news of it be lost.
  return async (reason) => {
    const { afterCommit } = await inTransaction(db, (tx) =>
      suppressIn(
        tx,
        { publisher, log },
        {
          organizationId,
          suppressions: [{ phoneNumber, reason, note: null, expiresAt: null }],
          origin: { source: 'call', createdBy: null },
          known: 'replace',
        },
      ),
    );
    await afterCommit().catch((err: unknown) =>
      log.error({ err, call_id: id }, 'the withdrawal of calls is left to a sweep'),
    );
  };
}

/**
 * The same words and the same rule that a call's provider is sent; in a browser, where the place of the person is unknown, those for everywhere. A chat on a
 * terminal has none.
 */
async function openingFor(
  db: Db,
  { organizationId, agentId, phoneNumber, kind }: ConversationCall,
): Promise<{ disclosure: string | null; records: boolean }> {
  const isChat = kind === undefined && phoneNumber === null;
  const agent = isChat ? null : await loadAgentContext(db, { organizationId, agentId });
  if (agent === null) return { disclosure: null, records: false };
  const { disclosure, recording } = openingOfCall(agent, phoneNumber ?? '');
  return {
    disclosure: disclosure?.text ?? null,
    records: recording !== 'off' && wantsRecording(agent.config),
  };
}
