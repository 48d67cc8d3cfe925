import { addNumberChanges, engineNow, inTransaction, noteChange } from '@outdial/db';
import { judgeNumberChanges, numberChangeOfCells, type NumberChangeLine } from '@outdial/engine';
import type { Command } from 'commander';
import type { FileFault } from '../cli-error.ts';
import type { CliContext } from '../cli-context.ts';
import { readRows } from '../csv/read-rows.ts';
import { inOrganization } from '../in-organization.ts';
import { openFile } from '../open-file.ts';
import { leaf, orgOption } from '../options.ts';
import { say } from '../output.ts';

const chunkLength = 5_000;

/** `outdial consent number-changes FILE`: numbers that were ported or reassigned. */
export function addNumberChangeImport(consent: Command, context: CliContext): void {
  leaf(
    consent,
    'number-changes',
    'end the consents that were given before a number was ported or reassigned, by a CSV file (columns phone, kind, changed_at and source)',
  )
    .argument('<file>')
    .option(...orgOption)
    .option('--country <code>', 'of numbers that are written without +')
    .action(async (file: string, options: { json?: boolean; org?: string; country?: string }) => {
      const counts = await inOrganization(context, options, async (db, organizationId) => {
        const faults: FileFault[] = [];
        let added = 0;
        const keep = async (items: readonly NumberChangeLine[]) => {
          // Each chunk commits; a file that is imported again adds nothing.
          const judged = await inTransaction(db, async (tx) => {
            const { changes, refused } = judgeNumberChanges(items, await engineNow(tx));
            const fresh = await addNumberChanges(tx, { organizationId, createdBy: null, changes });
            noteChange({ type: 'number_change', id: 'import', after: { added: fresh } });
            return { fresh, refused };
          });
          added += judged.fresh;
          for (const { line, field, reason } of judged.refused) {
            faults.push({ line, message: `${field ?? 'row'}: ${reason}` });
          }
        };
        let chunk: NumberChangeLine[] = [];
        for await (const { line, cells } of readRows(openFile(context, file), (fault) =>
          faults.push(fault),
        )) {
          chunk.push({ line, item: numberChangeOfCells(cells, options.country) });
          if (chunk.length < chunkLength) continue;
          await keep(chunk);
          chunk = [];
        }
        if (chunk.length > 0) await keep(chunk);
        return { added, faults: faults.toSorted((one, other) => one.line - other.line) };
      });
      say(context, options, counts, [
        ...counts.faults.map((fault) => `line ${fault.line} ${fault.message}; left out`),
        `${counts.added} added, ${counts.faults.length} left out`,
      ]);
    });
}
