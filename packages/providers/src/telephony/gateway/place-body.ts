import type { PlaceCallRequest } from '@outdial/core';

/** The body of `POST {url}/calls`. Later versions may add fields, but never change the meaning of one. */
export function placeBody(request: PlaceCallRequest, eventsUrl: string): object {
  const { knowledgeBase } = request;
  return {
    call_id: request.callId,
    organization_id: request.organizationId,
    agent_id: request.agentId,
    campaign_id: request.campaignId,
    attempt: request.attempt,
    to_phone: request.toPhone,
    from_phone: request.fromPhone,
    system_prompt: request.systemPrompt,
    prompt_params: request.promptParams,
    meta: request.meta,
    agent: request.agent,
    ring_timeout_seconds: request.ringTimeoutSeconds,
    max_call_seconds: request.maxCallSeconds,
    knowledge_base: knowledgeBase
      ? { ids: knowledgeBase.ids, search_url: knowledgeBase.searchUrl, token: knowledgeBase.token }
      : null,
    disclosure: request.disclosure ?? null,
    recording: request.recording ?? null,
    events_url: eventsUrl,
  };
}
