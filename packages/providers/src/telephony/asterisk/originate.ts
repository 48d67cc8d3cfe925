import type { PlaceCallRequest } from '@outdial/core';
import { writeNote } from './handoff-note.ts';
import type { AgentTelephony, RuntimeTarget } from './runtime-target.ts';
import type { AsteriskSettings } from './settings.ts';

/**
 * Whether a call is recorded. If the law requires an announcement, only the agent's own config turns recording on, because only then does the opening
 * announce it. The provider's default does not apply.
 */
function isRecorded(
  { recording, mediaRuntime }: PlaceCallRequest,
  agent: AgentTelephony,
  settings: AsteriskSettings,
): boolean {
  // A voice process records the call, with each side on its own channel.
  if (mediaRuntime || recording === 'off') return false;
  if (recording === 'announced') return agent.record === true;
  return agent.record ?? settings.records;
}

/** Asterisk ends a call this much later than the engine would, in case no engine is left to hang up. */
const beyondLongestSeconds = 60;

/**
 * The body of `POST /channels/{id}`. Three readers use the variables: Outdial's dialplan, the process that connects the call to its voice runtime, and
 * the dialplan of the runtime.
 */
export function originateBody(args: {
  request: PlaceCallRequest;
  settings: AsteriskSettings;
  agent: AgentTelephony;
  target: RuntimeTarget;
  application: string;
}): Record<string, unknown> {
  const { request, settings, agent, target } = args;
  const detection =
    agent.machine_detection === undefined ? settings.machineDetection : agent.machine_detection;
  const callerId = isCallerId(request.fromPhone) ? request.fromPhone : settings.callerId;
  const longestSeconds = request.ringTimeoutSeconds + request.maxCallSeconds + beyondLongestSeconds;
  return {
    endpoint: endpointFor(settings.endpoint, request.toPhone),
    context: settings.context,
    extension: 'start',
    priority: 1,
    timeout: request.ringTimeoutSeconds,
    ...(callerId !== null && { callerId: callerIdText(callerId, agent.caller_id_name) }),
    variables: {
      OUTDIAL_CALL_ID: request.callId,
      OUTDIAL_APP: args.application,
      OUTDIAL_HANDOVER: writeNote({
        records: isRecorded(request, agent, settings),
        agentId: request.agentId,
        longestSeconds,
        target,
      }),
      ...(detection !== null && { OUTDIAL_DETECT: '1', OUTDIAL_AMD: detection }),
      ...((agent.on_machine ?? settings.onMachine) === 'continue' && { OUTDIAL_KEEP_MACHINES: '1' }),
      'TIMEOUT(absolute)': String(longestSeconds),
      'CHANNEL(hangup_handler_push)': `${settings.context},end,1`,
      OUTDIAL_ORGANIZATION_ID: request.organizationId,
      OUTDIAL_AGENT_ID: request.agentId,
      OUTDIAL_CAMPAIGN_ID: request.campaignId ?? '',
      OUTDIAL_ATTEMPT: String(request.attempt),
      OUTDIAL_TO: request.toPhone,
      OUTDIAL_SYSTEM_PROMPT: request.systemPrompt,
      OUTDIAL_PROMPT_PARAMS: JSON.stringify(request.promptParams),
      ...(request.knowledgeBase && {
        OUTDIAL_KNOWLEDGE_BASE: JSON.stringify({
          ids: request.knowledgeBase.ids,
          search_url: request.knowledgeBase.searchUrl,
          token: request.knowledgeBase.token,
        }),
      }),
    },
  };
}

/** The URL at which a voice process accepts connections from Asterisk. */
export const mediaUrlOf = (url: string): string => `${url}/asterisk`;

/** Whether the number is E.164. Such a number has no characters with a meaning in a dial string. */
export const isDialable = (phone: string): boolean => /^\+[1-9]\d{3,14}$/.test(phone);

/** Checked strictly, because the caller id becomes part of a SIP header. */
const isCallerId = (text: string | null): text is string => text !== null && /^\+?[0-9]{3,20}$/.test(text);

export function endpointFor(template: string, phone: string): string {
  return template.replaceAll('{number}', phone).replaceAll('{digits}', phone.replace(/^\+/, ''));
}

function callerIdText(number: string, name: string | undefined): string {
  const safe = name?.replace(/[^\p{L}\p{N} .'&-]/gu, '').trim();
  return safe ? `"${safe}" <${number}>` : `<${number}>`;
}
