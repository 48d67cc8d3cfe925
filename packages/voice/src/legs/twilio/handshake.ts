import type { StrangerKind } from '../strangers.ts';

/** Whether Twilio has signed a handshake at this address. */
export type IsTwilio = (signature: string, url: string) => boolean;

/**
 * What the handshake of a connection at Twilio's paths is. Twilio signs each one: where that can be checked, one without a signature is a
 * stranger's. Others that speak these messages sign nothing, and are taken only where no account of Twilio's is known.
 * @param isTwilio null if no auth token is known: then none can be checked, and no signature is taken
 */
export function judgeHandshake(
  signature: string | readonly string[] | undefined,
  url: string,
  isTwilio: IsTwilio | null,
): StrangerKind | 'refused' {
  if (signature === undefined) return isTwilio === null ? 'unsigned' : 'refused';
  return isTwilio?.(String(signature), url) === true ? 'signed' : 'refused';
}
