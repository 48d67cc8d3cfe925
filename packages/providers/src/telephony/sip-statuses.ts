import type { CallFault, Outcome } from '@outdial/core';

/**
 * Final responses of a carrier to a call (RFC 3261, section 21, and the RFCs below) that say more than the cause or status to which a server maps
 * them. With a remedy, the carrier refuses the account and not the number. A 404 is the number's: the response does not tell whether the carrier
 * means its own address.
 */
const sipStatuses: Readonly<Record<number, { outcome: Outcome; remedy?: string }>> = {
  401: { outcome: 'failed', remedy: 'the carrier does not accept the credentials: check those of the trunk' },
  402: { outcome: 'failed', remedy: 'the account at the carrier has no credit: top it up' },
  403: {
    outcome: 'failed',
    remedy:
      "the carrier does not permit the call: check the trunk's account, caller id and permitted countries",
  },
  404: { outcome: 'invalid_number' },
  407: {
    outcome: 'failed',
    remedy: 'the carrier or its proxy does not accept the credentials: check those of the trunk',
  },
  410: { outcome: 'invalid_number' },
  // No anonymous calls (RFC 5079).
  433: { outcome: 'rejected' },
  484: { outcome: 'invalid_number' },
  486: { outcome: 'busy' },
  600: { outcome: 'busy' },
  603: { outcome: 'rejected' },
  604: { outcome: 'invalid_number' },
  // Unwanted (RFC 8197).
  607: { outcome: 'rejected' },
  // Rejected by a call screener (RFC 8688).
  608: { outcome: 'rejected' },
};

/** The phone or its person did not answer, or the call was ended: the outcome depends on whether it rang. */
const unanswered: ReadonlySet<number> = new Set([408, 480, 487]);

/** By the list of final responses: https://www.iana.org/assignments/sip-parameters/sip-parameters.xhtml#sip-parameters-7 */
function remedyOfUnknown(status: number): string | null {
  if (status < 400 || status > 699 || status in sipStatuses || unanswered.has(status)) return null;
  if (status >= 500 && status < 600) return 'the carrier fails: ask its operator';
  if (status === 488 || status === 606) return "the carrier accepts none of the trunk's codecs: correct them";
  return 'the carrier does not accept the request: check the trunk, or ask its operator';
}

export const outcomeOfSip = (status: number | null): Outcome | undefined =>
  status === null ? undefined : sipStatuses[status]?.outcome;

/** Whether a carrier's response is not the number's. One that is in no list above may be: such a 5xx says that the carrier has no way to it, or fails altogether. */
export function faultOfSip(status: number | null): CallFault | undefined {
  if (status === null) return undefined;
  const code = `sip_${status}`;
  const remedy = sipStatuses[status]?.remedy;
  if (remedy !== undefined) return { code, remedy };
  const unknown = remedyOfUnknown(status);
  return unknown === null ? undefined : { code, remedy: unknown, isUnknownCode: true };
}
