import { readAgentVoice } from '@outdial/contracts';
import { type Db, loadAgentContext } from '@outdial/db';
import { openingOfCall, wantsRecording } from '@outdial/engine';
import { openSession } from './realtime/open-session.ts';
import { createRealtimeConversation } from './realtime/realtime-conversation.ts';
import type { CallNote, Tool } from './tools/tool.ts';
import { toolsOfAgent } from './tools/tools-of-agent.ts';
import type {
  ConversationCall,
  ConversationDeps,
  OpenedConversation,
} from './conversation/conversation-call.ts';
import { createConversation } from './conversation/create-conversation.ts';
import { modelOf } from './conversation/model-of-agent.ts';
import { createOptOuts } from './conversation/opt-outs.ts';
import { createToolContext } from './conversation/tool-context.ts';

/**
 * Opens the conversation of a call with the agent's voice, tools and models.
 * @param options `note` takes entries for the call's `events`
 */
export async function openConversation(
  deps: ConversationDeps,
  call: ConversationCall,
  options: {
    note: (note: CallNote) => void;
    /** Replaces the agent's tools. */
    change?: (tools: readonly Tool[]) => readonly Tool[];
    /** A text conversation without a number: opt-outs and transfers have no effect. */
    isSimulation?: boolean;
    /** If the line cannot, the skill is left out, with a note. */
    canTransfer: boolean;
  },
): Promise<OpenedConversation> {
  const { note, change = (tools) => tools, isSimulation = false } = options;
  const read = readAgentVoice(call.config, deps.endpoints, { byText: isSimulation });
  if (read.kind === 'none') {
    return { kind: 'refused', faults: [{ path: ['voice'], message: 'is missing: name at least a `mode`' }] };
  }
  if (read.kind === 'faulty') return { kind: 'refused', faults: read.faults };
  const { voice } = read;
  const context = await createToolContext(deps, call, { isSimulation });
  const { suppress, now } = context;
  const optOuts = suppress === null ? null : createOptOuts({ suppress, now, note, log: deps.log });
  const { tools, notes } = toolsOfAgent(call.skills, {
    ...context,
    suppress: optOuts?.byModel ?? null,
    canTransfer: options.canTransfer,
  });
  for (const each of notes) note(each);
  const { disclosure, records } = await openingFor(deps.db, call);
  const parts = {
    agent: {
      prompt: call.prompt.text,
      mitigation: call.prompt.mitigation,
      harmfulIntents: call.prompt.harmfulIntents,
    },
    voice,
    promptParams: call.promptParams,
    tools: change(tools),
    disclosure,
    note,
    onFault: (err: unknown) => deps.log.error({ err, call_id: call.id }, 'a tool failed'),
    onToolEnd: deps.onToolEnd,
    // Nobody pauses in text.
    ...(isSimulation && { pause: () => Promise.resolve() }),
  };
  // A text conversation uses the chat protocol, even for a realtime agent.
  const realtime =
    voice.mode === 'realtime' && !isSimulation
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
    optOuts,
  };
}

/**
 * The same disclosure and recording rule as the provider of the call gets. In a browser, where the place of the person is unknown, the rules for
 * everywhere (`*`) apply. A chat on a terminal has none.
 */
async function openingFor(
  db: Db,
  { organizationId, agentId, phoneNumber, place, kind, fromPhone = null }: ConversationCall,
): Promise<{ disclosure: string | null; records: boolean }> {
  const isChat = kind === undefined && phoneNumber === null;
  const agent = isChat ? null : await loadAgentContext(db, { organizationId, agentId });
  if (agent === null) return { disclosure: null, records: false };
  const { disclosure, recording } = openingOfCall(agent, {
    phoneNumber: phoneNumber ?? '',
    place,
    fromPhone,
  });
  return {
    disclosure: disclosure?.text ?? null,
    records: recording !== 'off' && wantsRecording(agent.config),
  };
}
