import { placeCallJob } from '@outdial/contracts';
import { ConflictError } from '@outdial/core';
import { insertSingleCall, isSuppressed, type JsonObject, loadAgentContext, type Tx } from '@outdial/db';
import type { ApiDeps } from '../../deps.ts';
import { notFound } from '../../http/resource-id.ts';

export interface CallRequest {
  organizationId: string;
  agentId: string;
  toPhone: string;
  promptParams: Record<string, string> | null;
  meta: JsonObject | null;
  createdBy: string;
}

/** Writes a call that waits for a line. `announceCall` follows the commit. */
export async function requestCallInTransaction(
  tx: Tx,
  { config }: Pick<ApiDeps, 'config'>,
  request: CallRequest,
): Promise<{ callId: string }> {
  const { organizationId, agentId } = request;
  const agent = await loadAgentContext(tx, { organizationId, agentId });
  if (agent === null) {
    throw notFound('Agent');
  }
  if (agent.prompt === null) {
    throw new ConflictError('agent_without_prompt', 'The agent has no prompt, so it cannot call');
  }
  if (await isSuppressed(tx, organizationId, request.toPhone)) {
    throw new ConflictError('number_suppressed', 'The organization has this number on its suppression list');
  }
  const callId = await insertSingleCall(tx, {
    ...request,
    provider: agent.organizationProvider ?? config.installationProvider,
    fromPhone: null,
    promptId: agent.prompt.id,
    queueTimeoutSeconds: config.callQueueTimeoutSeconds,
  });
  return { callId };
}

export async function announceCall(
  { publisher, log }: Pick<ApiDeps, 'publisher' | 'log'>,
  callId: string,
): Promise<void> {
  try {
    await publisher.publish(placeCallJob, { call_id: callId, claim_id: callId, attempt: 1 }, { first: true });
  } catch (error) {
    log.warn({ err: error, call_id: callId }, 'the call was not announced; a sweep will');
  }
}
