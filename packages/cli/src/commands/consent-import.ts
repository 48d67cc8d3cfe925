import { addConsents, engineNow, inTransaction, noteChange } from '@outdial/db';
import { consentOfCells, judgeConsents, type ConsentItem } from '@outdial/engine';
import type { Command } from 'commander';
import type { FileFault } from '../cli-error.ts';
import type { CliContext } from '../cli-context.ts';
import { readRows } from '../csv/read-rows.ts';
import { inOrganization } from '../in-organization.ts';
import { openFile } from '../open-file.ts';
import { leaf, orgOption } from '../options.ts';
import { say } from '../output.ts';

const chunkLength = 5_000;

/** `outdial consent import FILE` */
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
      const counts = await inOrganization(context, options, async (db, organizationId) => {
        const faults: FileFault[] = [];
        let added = 0;
        const keep = async (items: readonly ConsentItem[]) => {
          // Each chunk commits. A file that is imported again records its consents again: the ledger says what was told, and when.
          const judged = await inTransaction(db, async (tx) => {
            const made = judgeConsents(items, await engineNow(tx));
            await addConsents(tx, { organizationId, createdBy: null, consents: made.consents });
            noteChange({ type: 'consent', id: 'import', after: { added: made.consents.length } });
            return made;
          });
          added += judged.consents.length;
          for (const { line, field, reason } of judged.refused) {
            faults.push({ line, message: `${field ?? 'row'}: ${reason}` });
          }
        };
        let chunk: ConsentItem[] = [];
        for await (const { line, cells } of readRows(openFile(context, file), (fault) =>
          faults.push(fault),
        )) {
          chunk.push({ line, item: consentOfCells(cells, options.country) });
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
