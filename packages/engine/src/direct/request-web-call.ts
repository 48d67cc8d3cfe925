import {
  endpointsByPart,
  readAgentVoice,
  type AgentVoice,
  type KnownEndpoints,
  type Warning,
} from '@outdial/contracts';
import { ConflictError, NotFoundError } from '@outdial/core';
import {
  type AgentContext,
  chooseVoiceProcess,
  countWebCalls,
  insertWebCall,
  loadAgentContext,
  lockLineCaps,
  takeOrganizationLine,
  type JsonObject,
  type Tx,
  type AgentKey,
} from '@outdial/db';
import { requireCallsLeft } from '../gate/quotas.ts';
import { checkPromptValues } from '../send/prompt-values.ts';

/** How long the token of a call is valid. */
export const webConnectSeconds = 60;
/** The capacity is reserved for this much longer, for a browser that connects at the last moment. */
const slackSeconds = 30;
/** Concurrent web calls of one organization, because voice processes serve all organizations. */
export const webCallsAtMost = 10;

export interface WebCallRequest extends AgentKey {
  promptParams: Record<string, string> | null;
  /** Whether to refuse a prompt with placeholders that have no value. */
  rejectMissingValues: boolean;
  meta: JsonObject | null;
  /** The user behind the credential. */
  createdBy: string;
  /** The endpoints in the environment of this process; null if unknown. */
  voiceEndpoints: KnownEndpoints | null;
  /** Whether this installation supports web calls. */
  isSupported: boolean;
}

export type RequestedWebCall =
  | { kind: 'requested'; callId: string; url: string; expiresAt: Date; warnings: Warning[] }
  /** No voice process can take the call now. */
  | { kind: 'none'; reason: 'no_voice_process' | 'voice_processes_full' | 'voice_endpoint_down' };

/**
 * Inserts a call that a browser joins, and takes a line and the capacity of a voice process, in the caller's transaction. Roll back if the
 * result is `none`.
 * @throws MissingValuesError · NotFoundError · ConflictError `agent_without_prompt`, `agent_without_voice`, `agent_voice_faulty`, `voice_mode_not_carried`,
 *   `quota_exceeded`, `too_many_web_calls`, `no_line_free`
 */
export async function requestWebCallIn(tx: Tx, request: WebCallRequest): Promise<RequestedWebCall> {
  const { organizationId, agentId } = request;
  await lockLineCaps(tx);
  const agent = await loadAgentContext(tx, { organizationId, agentId });
  if (!agent || agent.is_deleted) throw new NotFoundError('There is no such agent.');
  if (!request.isSupported) return { kind: 'none', reason: 'no_voice_process' };
  if (!agent.prompt) throw new ConflictError('agent_without_prompt', 'The agent has no prompt yet.');
  const voice = requireVoice(agent, request.voiceEndpoints);
  if ((await countWebCalls(tx, organizationId)) >= webCallsAtMost) {
    throw new ConflictError(
      'too_many_web_calls',
      `The organization can have at most ${webCallsAtMost} web calls in progress, and has reached that limit.`,
    );
  }
  const { promptParams } = request;
  const { missing, warnings } = checkPromptValues(agent.prompt.text, {
    promptParams,
    rejects: request.rejectMissingValues,
  });
  await requireCallsLeft(tx, organizationId, agent.limits);
  const call = await insertWebCall(tx, {
    organizationId,
    agentId,
    promptId: agent.prompt.id,
    promptParams,
    missingPlaceholders: missing,
    meta: request.meta,
    createdBy: request.createdBy,
    connectWithinSeconds: webConnectSeconds,
  });
  if (!(await takeOrganizationLine(tx, organizationId))) {
    throw new ConflictError('no_line_free', 'All lines of the organization are in use.');
  }
  const chosen = await chooseVoiceProcess(tx, {
    organizationId,
    callId: call.id,
    endpoints: endpointsByPart(voice),
    reservedForSeconds: webConnectSeconds + slackSeconds,
  });
  if (chosen.kind === 'none') return chosen;
  return {
    kind: 'requested',
    callId: call.id,
    url: `${chosen.webUrl}/web`,
    expiresAt: call.connectBy,
    warnings,
  };
}

function requireVoice(agent: AgentContext, endpoints: KnownEndpoints | null): AgentVoice {
  const read = readAgentVoice(agent.config, endpoints);
  if (read.kind === 'none') {
    throw new ConflictError('agent_without_voice', 'The agent has no `config.voice` with a `mode`.');
  }
  if (read.kind === 'faulty') {
    const faults = read.faults.map(({ path, message }) => `config.${path.map(String).join('.')} ${message}`);
    throw new ConflictError(
      'agent_voice_faulty',
      `The agent cannot talk: ${faults.join('; ').slice(0, 500)}.`,
    );
  }
  if (read.voice.mode === 'relay') {
    throw new ConflictError(
      'voice_mode_not_carried',
      'Web calls need audio, but config.voice.mode is relay, in which the carrier listens and speaks.',
    );
  }
  return read.voice;
}
