import { addConsents, noteChange, engineNow, findConsentProof, addNumberChanges } from '@outdial/db';
import {
  consentFields,
  consentOfFields,
  judgeConsents,
  consentProofView,
  judgeNumberChanges,
  numberChangeFields,
} from '@outdial/engine';
import type { Command } from 'commander';
import { isE164, itemOfFields } from '@outdial/core';
import type { CliContext } from '../cli-context.ts';
import { addLinesImport } from '../csv/import-lines.ts';
import { CliError } from '../cli-error.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';

/** Importing a file twice records its consents twice, because the ledger records what was reported and when. */
export function addConsentImport(consent: Command, context: CliContext): void {
  addLinesImport(consent, context, {
    name: 'import',
    description:
      'record the consents of a CSV file (columns phone, basis, source and given_at; scope, text_shown, evidence_hash and expires_at)',
    fields: consentFields,
    itemOf: consentOfFields,
    async keep(tx, lines, { organizationId, now, numbering }) {
      const { accepted: consents, refused } = await judgeConsents(lines, now, numbering);
      await addConsents(tx, { organizationId, createdBy: null, consents });
      noteChange({ type: 'consent', id: 'import', after: { added: consents.length } });
      return { added: consents.length, refused };
    },
  });
}

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

/** Numbers that were ported or reassigned. A file that is imported again adds nothing. */
export function addNumberChangeImport(consent: Command, context: CliContext): void {
  addLinesImport(consent, context, {
    name: 'number-changes',
    description:
      'end the consents that were given before a number was ported or reassigned, by a CSV file (columns phone, kind, changed_at and source)',
    fields: numberChangeFields,
    itemOf: itemOfFields,
    async keep(tx, lines, { organizationId, now, numbering }) {
      const { accepted: changes, refused } = await judgeNumberChanges(lines, now, numbering);
      const added = await addNumberChanges(tx, { organizationId, createdBy: null, changes });
      noteChange({ type: 'number_change', id: 'import', after: { added } });
      return { added, refused };
    },
  });
}
