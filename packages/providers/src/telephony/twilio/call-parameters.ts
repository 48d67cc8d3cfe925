import type { Misconfiguration, PlaceCallRequest } from '@outdial/core';
import type { CallListInstanceCreateOptions } from 'twilio/lib/rest/api/v2010/account/call.js';
import { callbackUrl, type CallbackTopic } from './callback-url.ts';
import type { TwilioSettings } from './settings.ts';
import { ownRuntimeTwiml } from './own-runtime.ts';
import { ownTelephony, readTelephony, type TelephonyConfig } from './telephony-config.ts';
import { type VoiceInstructions, voiceInstructions } from './voice-instructions.ts';

/** https://www.twilio.com/docs/voice/api/call-resource */
const ringSecondsAtMost = 600;
/** Four hours: Twilio's limit, unless it agreed on another with the account. */
const callSecondsAtMost = 14_400;

export type CallParameters =
  | { kind: 'create'; options: CallListInstanceCreateOptions }
  /** The agent is not set up for calls; nothing was sent. */
  | ({ kind: 'misconfigured' } & Misconfiguration)
  /** The call is too large for Twilio; nothing was sent. */
  | { kind: 'refused'; externalStatus: string };

/** The request that dials: number, ring time, instructions for an answered call, and callback addresses. */
export function callParameters(
  settings: Pick<TwilioSettings, 'authToken' | 'fromPhone' | 'eventsUrl' | 'defaults'>,
  request: PlaceCallRequest,
): CallParameters {
  const telephony = readTelephony(request.agent.config, settings.defaults);
  if (telephony.kind === 'wrong') return agentFault(telephony.fault);
  const { config } = telephony;
  const from = request.fromPhone ?? settings.fromPhone;
  if (from === null) return agentFault('telephony.from_phone: is missing');
  const instructions = instructionsOf(config, request);
  if (instructions.kind === 'refused' || instructions.kind === 'misconfigured') return instructions;
  // A voice process recognizes machines itself unless it is told not to, leaves messages, and talks to call screening.
  const { voice } = request.agent.config;
  const isToldNotTo =
    typeof voice === 'object' &&
    voice !== null &&
    'machine_detection' in voice &&
    voice.machine_detection === false;
  const [usual, onMachine] =
    request.mediaRuntime && !isToldNotTo && config.on_machine !== 'hang_up'
      ? (['off', 'continue'] as const)
      : (['detect', 'hang_up'] as const);
  const detection = config.machine_detection ?? usual;
  const hangsUp = (config.on_machine ?? onMachine) === 'hang_up';
  const tells = (topic: CallbackTopic) =>
    callbackUrl(settings, {
      topic,
      callId: request.callId,
      hangsUp: topic === 'machine' && hangsUp,
    });
  return {
    kind: 'create',
    options: {
      to: request.toPhone,
      from,
      timeout: Math.min(request.ringTimeoutSeconds, ringSecondsAtMost),
      timeLimit: Math.min(request.maxCallSeconds, callSecondsAtMost),
      statusCallback: tells('status'),
      statusCallbackMethod: 'POST',
      statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
      ...(detection !== 'off' && {
        machineDetection: detection === 'detect' ? 'Enable' : 'DetectMessageEnd',
        asyncAmd: 'true',
        asyncAmdStatusCallback: tells('machine'),
        asyncAmdStatusCallbackMethod: 'POST',
      }),
      ...(isRecorded(config, request) && {
        record: true,
        // The person and the agent are on separate channels.
        recordingChannels: 'dual',
        recordingStatusCallback: tells('recording'),
        recordingStatusCallbackMethod: 'POST',
        recordingStatusCallbackEvent: ['completed'],
      }),
      ...(instructions.kind === 'twiml' ? { twiml: instructions.twiml } : { url: instructions.url }),
    },
  };
}

/** If the engine chose a voice process for the call, it overrides the runtime in the agent's config. */
function instructionsOf(
  { voice }: TelephonyConfig,
  request: PlaceCallRequest,
): VoiceInstructions | Extract<CallParameters, { kind: 'misconfigured' }> {
  if (request.mediaRuntime) return { kind: 'twiml', twiml: ownRuntimeTwiml(request.mediaRuntime) };
  return voice === undefined ? agentFault('telephony.voice: is missing') : voiceInstructions(voice, request);
}

/**
 * If the law requires an announcement, only the agent's own config turns recording on, because only then does the opening announce it. The provider's
 * default does not apply.
 */
function isRecorded({ record }: TelephonyConfig, request: PlaceCallRequest): boolean {
  const { mediaRuntime, recording, agent } = request;
  if (recording === 'off' || record === false) return false;
  const wanted = recording === 'announced' ? ownTelephony(agent.config).record : record;
  return (wanted ?? mediaRuntime?.records) === true;
}

function agentFault(fault: string): Extract<CallParameters, { kind: 'misconfigured' }> {
  return { kind: 'misconfigured', of: 'agent', code: 'agent config', remedy: fault.slice(0, 200) };
}
