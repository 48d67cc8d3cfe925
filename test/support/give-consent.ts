import type { CampaignPurpose, ConsentBasis } from '@outdial/core';
import { addConsents, engineNow, type Db } from '@outdial/db';

/** Records consents, given an hour ago, of people who are called. Returns their ids. */
export async function giveConsent(
  db: Db,
  organizationId: string,
  phoneNumbers: readonly string[],
  {
    basis = 'prior_express_written',
    scope = null,
  }: { basis?: ConsentBasis; scope?: readonly CampaignPurpose[] | null } = {},
): Promise<string[]> {
  const givenAt = new Date((await engineNow(db)).getTime() - 3_600_000);
  return addConsents(db, {
    organizationId,
    createdBy: null,
    consents: phoneNumbers.map((phoneNumber) => ({
      phone_number: phoneNumber,
      basis,
      scope: scope && [...scope],
      text_shown: null,
      source: 'a form',
      evidence_hash: null,
      given_at: givenAt,
      expires_at: null,
    })),
  });
}
