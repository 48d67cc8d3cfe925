import type { MediaRuntime } from '@outdial/core';
import { loadSdk } from './sdk.ts';

/** Where voice processes take Twilio's connections, below their url. */
export const streamPath = '/twilio/stream';
export const relayPath = '/twilio/relay';

/** By this name the voice process finds the token in the first message: the address of a stream can have no query. */
export const tokenParameter = 'token';

/**
 * Connects an answered call with a voice process of this installation. Nothing follows in the instructions, so the call ends when the
 * process closes the connection (https://www.twilio.com/docs/voice/twiml/stream, https://www.twilio.com/docs/voice/twiml/connect/conversationrelay).
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
        // The next words replace the current ones, because a key needs an answer at once.
        preemptible: true,
      })
    : connect.stream({ url: `${url}${streamPath}` });
  noun.parameter({ name: tokenParameter, value: token });
  return response.toString();
}
