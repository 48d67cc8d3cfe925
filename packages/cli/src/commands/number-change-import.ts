import { addNumberChanges, engineNow, inTransaction, noteChange } from '@outdial/db';
import { judgeNumberChanges, numberChangeOfCells } from '@outdial/engine';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { importedLines, importLines } from '../csv/import-lines.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import { say } from '../output.ts';

/** `outdial consent number-changes FILE`: numbers that were ported or reassigned. */
export function addNumberChangeImport(consent: Command, context: CliContext): void {
  leaf(
    consent,
    'number-changes',
    'end the consents that were given before a number was ported or reassigned, by a CSV file (columns phone, kind, changed_at and source)',
  )
    .argument('<file>')
    .option(...orgOption)
    .option('--country <code>', 'the country of numbers without +')
    .action(async (file: string, options: { json?: boolean; org?: string; country?: string }) => {
      const imported = await inOrganization(context, options, (db, organizationId) =>
        importLines(context, file, {
          itemOf: (cells) => numberChangeOfCells(cells, options.country),
          // A file that is imported again adds nothing.
          keep: (lines) =>
            inTransaction(db, async (tx) => {
              const { changes, refused } = judgeNumberChanges(lines, await engineNow(tx));
              const added = await addNumberChanges(tx, { organizationId, createdBy: null, changes });
              noteChange({ type: 'number_change', id: 'import', after: { added } });
              return { added, refused };
            }),
        }),
      );
      say(context, options, imported, importedLines(imported));
    });
}
