import type { PlaceCallRequest } from '@outdial/core';
import { loadSdk } from './sdk.ts';
import type { Voice } from './telephony-config.ts';

/** https://www.twilio.com/docs/voice/api/call-resource: "Twiml … Max 4000 characters". */
export const twimlLengthAtMost = 4_000;
/** https://www.twilio.com/docs/voice/twiml/stream: a parameter's name and value together are "limited to 500 characters". */
export const streamParameterLengthAtMost = 500;

export type VoiceInstructions =
  | { kind: 'twiml'; twiml: string }
  | { kind: 'url'; url: string }
  | { kind: 'refused'; externalStatus: string };

/** Twilio's instructions for an answered call: its destination, and the parameters sent there. */
export function voiceInstructions(voice: Voice, request: PlaceCallRequest): VoiceInstructions {
  const parameters = parametersOf(request);
  switch (voice.connect) {
    case 'conversation_relay':
    case 'stream':
      return connected(voice, [...parameters, ...knowledgeOf(request)], parameters);
    case 'twiml':
      return withinLength(fillIn(voice.twiml, new Map(parameters)));
    case 'twiml_url': {
      const url = new URL(voice.url);
      for (const [name, value] of parameters) url.searchParams.set(name, value);
      return { kind: 'url', url: url.href };
    }
  }
}

type Parameter = readonly [name: string, value: string];
type Connected = Extract<Voice, { connect: 'conversation_relay' | 'stream' }>;

/** Our own names come first, and win over prompt parameters of the same name. */
function parametersOf(request: PlaceCallRequest): Parameter[] {
  const own = {
    call_id: request.callId,
    agent_id: request.agentId,
    attempt: String(request.attempt),
    // If the disclosure is too long for Twilio, the call is refused, because it could not say what the law requires.
    ...(request.disclosure && { disclosure: request.disclosure.text }),
  };
  const ofPrompt = Object.entries(request.promptParams).filter(([name]) => !(name in own));
  return [...Object.entries(own), ...ofPrompt].map(([name, value]) => [xmlText(name), xmlText(value)]);
}

/** The parameters with which the runtime searches the agent's knowledge bases. */
function knowledgeOf({ knowledgeBase }: PlaceCallRequest): Parameter[] {
  if (!knowledgeBase) return [];
  return [
    ['knowledge_base_ids', knowledgeBase.ids.join(',')],
    ['knowledge_search_url', knowledgeBase.searchUrl],
    ['knowledge_token', knowledgeBase.token],
  ];
}

/** Sends all parameters if they fit. Otherwise leaves out those of knowledge bases: a runtime that cannot search can still speak. */
function connected(
  voice: Connected,
  all: readonly Parameter[],
  needed: readonly Parameter[],
): VoiceInstructions {
  const whole = connectTwiml(voice, all);
  return whole.kind === 'refused' ? connectTwiml(voice, needed) : whole;
}

function connectTwiml(voice: Connected, parameters: readonly Parameter[]): VoiceInstructions {
  const response = new (loadSdk().twiml.VoiceResponse)();
  const connect = response.connect();
  if (voice.connect === 'stream') {
    const tooLong = parameters.find(
      ([name, value]) => name.length + value.length > streamParameterLengthAtMost,
    );
    if (tooLong) return { kind: 'refused', externalStatus: 'prompt_parameter_too_long_for_twilio_stream' };
    const stream = connect.stream({ url: addressOf(voice) });
    for (const [name, value] of parameters) stream.parameter({ name, value });
  } else {
    const relay = connect.conversationRelay({
      url: addressOf(voice),
      ...(voice.welcome_greeting !== undefined && { welcomeGreeting: xmlText(voice.welcome_greeting) }),
      ...(voice.language !== undefined && { language: voice.language }),
      ...(voice.voice !== undefined && { voice: voice.voice }),
      ...(voice.tts_provider !== undefined && { ttsProvider: voice.tts_provider }),
      ...(voice.transcription_provider !== undefined && {
        transcriptionProvider: voice.transcription_provider,
      }),
      ...(voice.speech_model !== undefined && { speechModel: voice.speech_model }),
      ...(voice.interruptible !== undefined && { interruptible: voice.interruptible }),
      ...(voice.dtmf_detection !== undefined && { dtmfDetection: voice.dtmf_detection }),
    });
    for (const [name, value] of parameters) relay.parameter({ name, value });
  }
  return withinLength(response.toString());
}

/** As we read it: the operator allowed its host, and Twilio may read odd characters in another way. */
function addressOf({ url }: Connected): string {
  return new URL(url).href;
}

function withinLength(twiml: string): VoiceInstructions {
  if (twiml.length <= twimlLengthAtMost) return { kind: 'twiml', twiml };
  return { kind: 'refused', externalStatus: 'twiml_too_long_for_twilio' };
}

/** Fills in placeholders. One without a value stays unchanged, as in prompts. */
function fillIn(twiml: string, values: ReadonlyMap<string, string>): string {
  return twiml.replace(/\{\{([^{}]+)\}\}/g, (whole, name: string) => {
    const value = values.get(name.trim());
    return value === undefined ? whole : escapeXml(value);
  });
}

const escapes = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
]);

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => escapes.get(char) ?? char);
}

/** Removes characters that XML does not allow (XML 1.0, section 2.2). */
function xmlText(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '');
}
