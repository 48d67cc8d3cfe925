import { loadSdk } from './sdk.ts';

const tokenVariable = /^TWILIO_AUTH_TOKEN(_[A-Z0-9_]+)?$/;

/**
 * Checks the `X-Twilio-Signature` of a websocket's handshake: over its address, with the auth token of any account that the environment
 * names (https://www.twilio.com/docs/usage/security, https://www.twilio.com/docs/voice/conversationrelay/onboarding).
 * Null if the environment names none.
 */
export function createTwilioHandshakeCheck(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ((signature: string, url: string) => boolean) | null {
  const tokens = Object.entries(environment).flatMap(([name, token]) =>
    tokenVariable.test(name) && token !== undefined && token.trim() !== '' ? [token.trim()] : [],
  );
  if (tokens.length === 0) return null;
  // The address is the one that Twilio was given.
  return (signature, url) => {
    const { validateRequest } = loadSdk();
    // The SDK compares in constant time. Some of Twilio's senders sign the address with a slash behind it.
    return tokens.some((token) =>
      [url, `${url}/`].some((signed) => validateRequest(token, signature, signed, {})),
    );
  };
}
