import { addConsents, noteChange } from '@outdial/db';
import { consentFields, consentOfFields, judgeConsents } from '@outdial/engine';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { addLinesImport } from '../csv/import-lines.ts';

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
