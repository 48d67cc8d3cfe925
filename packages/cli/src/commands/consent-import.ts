import { addConsents, engineNow, inTransaction, noteChange } from '@outdial/db';
import { consentOfCells, judgeConsents } from '@outdial/engine';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { importedLines, importLines } from '../csv/import-lines.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import { say } from '../output.ts';

export function addConsentImport(consent: Command, context: CliContext): void {
  leaf(
    consent,
    'import',
    'record the consents of a CSV file (columns phone, basis, source and given_at; scope, text_shown, evidence_hash and expires_at)',
  )
    .argument('<file>')
    .option(...orgOption)
    .option('--country <code>', 'the country of numbers without +')
    .action(async (file: string, options: { json?: boolean; org?: string; country?: string }) => {
      const imported = await inOrganization(context, options, (db, organizationId) =>
        importLines(context, file, {
          itemOf: (cells) => consentOfCells(cells, options.country),
          // A file that is imported again records its consents again: the ledger says what was told, and when.
          keep: (lines) =>
            inTransaction(db, async (tx) => {
              const { consents, refused } = judgeConsents(lines, await engineNow(tx));
              await addConsents(tx, { organizationId, createdBy: null, consents });
              noteChange({ type: 'consent', id: 'import', after: { added: consents.length } });
              return { added: consents.length, refused };
            }),
        }),
      );
      say(context, options, imported, importedLines(imported));
    });
}
