import type { HandshakeKind } from '../unidentified-limit.ts';

/** Whether Twilio has signed a handshake for this URL. */
export type IsTwilio = (signature: string, url: string) => boolean;

/**
 * Twilio signs every handshake. With an auth token, only signed handshakes are accepted. Without one, signatures cannot be checked, and only
 * unsigned handshakes are accepted: other carriers use the same messages and sign nothing.
 * @param isTwilio null if no auth token is configured
 */
export function judgeHandshake(
  signature: string | readonly string[] | undefined,
  url: string,
  isTwilio: IsTwilio | null,
): HandshakeKind | 'refused' {
  if (signature === undefined) return isTwilio === null ? 'unsigned' : 'refused';
  return isTwilio?.(String(signature), url) === true ? 'signed' : 'refused';
}
