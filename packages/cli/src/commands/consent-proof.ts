import { engineNow, findConsentProof } from '@outdial/db';
import { consentProofView } from '@outdial/engine';
import type { Command } from 'commander';
import { isE164 } from '@outdial/core';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../cli-context.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';

/** `outdial consent proof NUMBER`: everything that proves that one person could be called, as JSON. */
export function addConsentProof(consent: Command, context: CliContext): void {
  leaf(
    consent,
    'proof',
    'write the consents of one number as JSON, with their revocations and the calls that relied on them',
  )
    .argument('<number>', 'in E.164')
    .option(...orgOption)
    .action(async (phoneNumber: string, options: { org?: string }) => {
      if (!isE164(phoneNumber)) {
        throw new CliError('invalid_number', 'the number must be in E.164 format, such as +15550100123');
      }
      await inOrganization(context, options, async (db, organizationId) => {
        const found = await findConsentProof(db, { organizationId, phoneNumber });
        const proof = consentProofView(found, { phoneNumber, now: await engineNow(db) });
        context.out.write(`${JSON.stringify(proof, null, 2)}\n`);
      });
    });
}
