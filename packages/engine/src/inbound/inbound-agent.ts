import { readAgentVoice } from '@outdial/contracts';
import { type AnsweringAgent, paramsOfInboundCall, renderPrompt } from '@outdial/core';
import {
  type AgentContext,
  type Db,
  type LastCallToPerson,
  loadAgentContext,
  type NewInboundCall,
} from '@outdial/db';

export interface Candidate extends AnsweringAgent {
  context: AgentContext;
  prompt: { id: string; text: string };
}

/** Null if the agent does not exist or has no prompt. */
export async function candidate(
  db: Db,
  organizationId: string,
  agentId: string | null,
): Promise<Candidate | null> {
  const context = agentId === null ? null : await loadAgentContext(db, { organizationId, agentId });
  if (context === null || agentId === null || context.prompt === null) return null;
  const canTalk = !context.is_deleted && readAgentVoice(context.config, null).kind === 'voice';
  return { agentId, canTalk, context, prompt: context.prompt };
}

export function promptOf(
  agent: Candidate,
  args: { calledNumber: string; callerNumber: string | null; last: LastCallToPerson | null; now: Date },
): Pick<NewInboundCall, 'promptId' | 'promptParams' | 'events'> {
  const { last } = args;
  // Values for another agent's prompt would not fit this one.
  const earlier =
    last === null ? null : { ...last, promptParams: last.agentId === agent.agentId ? last.promptParams : {} };
  const promptParams = paramsOfInboundCall({ ...args, earlier });
  const at = args.now.toISOString();
  const { missing } = renderPrompt(agent.prompt.text, promptParams);
  return {
    promptId: agent.prompt.id,
    promptParams,
    events: [
      { type: 'called_in', at, called_number: args.calledNumber },
      ...(missing.length > 0 ? [{ type: 'prompt_placeholder_missing', at, names: missing }] : []),
    ],
  };
}
