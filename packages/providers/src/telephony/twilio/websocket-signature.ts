import { loadSdk } from './sdk.ts';

const tokenVariable = /^TWILIO_AUTH_TOKEN(_[A-Z0-9_]+)?$/;

/**
 * Creates a check of the `X-Twilio-Signature` of a websocket handshake. The signature covers the URL and may use the auth token of any account in the
 * environment (https://www.twilio.com/docs/usage/security, https://www.twilio.com/docs/voice/conversationrelay/onboarding).
 * Null if the environment has no auth token.
 */
export function createTwilioHandshakeCheck(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ((signature: string, url: string) => boolean) | null {
  const tokens = Object.entries(environment).flatMap(([name, token]) =>
    tokenVariable.test(name) && token !== undefined && token.trim() !== '' ? [token.trim()] : [],
  );
  if (tokens.length === 0) return null;
  return (signature, url) => {
    const { validateRequest } = loadSdk();
    // `url` is the one that Twilio was given. Some of Twilio's senders sign it with a trailing slash. The SDK compares in constant time.
    return tokens.some((token) =>
      [url, `${url}/`].some((signed) => validateRequest(token, signature, signed, {})),
    );
  };
}
