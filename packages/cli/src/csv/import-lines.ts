import { type ImportLine, ListNotes, type RefusedLine } from '@outdial/contracts';
import type { Numbering } from '@outdial/core';
import { engineNow, inTransaction, type Tx } from '@outdial/db';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { skippedLine, type FileFault } from '../cli-error.ts';
import { inOrganization } from '../in-organization.ts';
import { openFile } from '../open-file.ts';
import { leaf, listOptions, type ListOptions, orgOption } from '../options.ts';
import { say } from '../output.ts';
import { readFields, sayNotes } from './read-rows.ts';

const chunkLength = 5_000;

/** Adds a command that imports a file in chunks, each in one transaction, and reports the faults of invalid rows. */
export function addLinesImport(
  parent: Command,
  context: CliContext,
  args: {
    name: string;
    description: string;
    /** The fields of a row, besides the phone number. */
    fields: readonly string[];
    itemOf: (fields: ReadonlyMap<string, string>) => ImportLine['item'];
    /** Checks each line of a chunk, adds the valid ones, and returns the faults of the others. */
    keep: (
      tx: Tx,
      lines: readonly ImportLine[],
      by: { organizationId: string; now: Date; numbering: Numbering },
    ) => Promise<{ added: number; refused: readonly RefusedLine[] }>;
  },
): void {
  listOptions(leaf(parent, args.name, args.description))
    .argument('<file>')
    .option(...orgOption)
    .action(async (file: string, options: { json?: boolean; org?: string } & ListOptions) => {
      const read: FileFault[] = [];
      const notes = new ListNotes();
      let added = 0;
      await inOrganization(context, options, async (db, organizationId) => {
        const saveChunk = async (lines: readonly ImportLine[]) => {
          const saved = await inTransaction(db, async (tx) =>
            args.keep(tx, lines, { organizationId, now: await engineNow(tx), numbering: options }),
          );
          added += saved.added;
          for (const { line, field, reason } of saved.refused) {
            read.push({ line, message: `${field ?? 'row'}: ${reason}` });
          }
        };
        let chunk: ImportLine[] = [];
        const report = (fault: FileFault) => void read.push(fault);
        const table = { options, fields: args.fields, report, notes };
        for await (const { line, fields } of readFields(openFile(context, file), table)) {
          chunk.push({ line, item: args.itemOf(fields) });
          if (chunk.length < chunkLength) continue;
          await saveChunk(chunk);
          chunk = [];
        }
        if (chunk.length > 0) await saveChunk(chunk);
      });
      const faults = read.toSorted((one, other) => one.line - other.line);
      const warnings = sayNotes(notes);
      say(context, options, { added, faults, warnings }, [
        ...faults.map(skippedLine),
        ...warnings.map((warning) => `warning: ${warning}`),
        `${added} added, ${faults.length} skipped`,
      ]);
    });
}
