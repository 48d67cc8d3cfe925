import type { MediaRuntime } from '@outdial/core';
import { loadSdk } from './sdk.ts';

/** The paths at which voice processes accept Twilio's connections. */
export const streamPath = '/twilio/stream';
export const relayPath = '/twilio/relay';

/** The name of the token in the first message to the voice process. It is sent there because the URL of a stream cannot have a query. */
export const tokenParameter = 'token';

/**
 * Instructions that connect an answered call to a voice process of this installation. Nothing follows the connection, so the call ends when the process
 * closes it (https://www.twilio.com/docs/voice/twiml/stream, https://www.twilio.com/docs/voice/twiml/connect/conversationrelay).
 */
export function ownRuntimeTwiml({ url, token, text }: MediaRuntime): string {
  const response = new (loadSdk().twiml.VoiceResponse)();
  const connect = response.connect();
  const noun = text
    ? connect.conversationRelay({
        url: `${url}${relayPath}`,
        language: text.language,
        ...(text.voice !== null && { voice: text.voice }),
        dtmfDetection: true,
        interruptible: 'any',
        // New words replace the current ones, because a key needs an answer at once.
        preemptible: true,
      })
    : connect.stream({ url: `${url}${streamPath}` });
  noun.parameter({ name: tokenParameter, value: token });
  return response.toString();
}
