import { ListNotes } from '@outdial/contracts';
import {
  addSuppressions,
  checkCallsOfSuppressed,
  engineNow,
  inTransaction,
  suppressEverywhere,
  type Db,
  type NewSuppression,
} from '@outdial/db';
import { faultOfEnd, keepLongest, suppressionFields } from '@outdial/engine';
import type { Command } from 'commander';
import { skippedLine, type FileFault } from '../cli-error.ts';
import { sayNotes } from '../csv/read-rows.ts';
import { readSuppressionsCsv } from '../csv/suppressions-csv.ts';
import { inOrganization } from '../in-organization.ts';
import { openFile } from '../open-file.ts';
import { withDatabase } from '../open-database.ts';
import { leaf, listOptions, type ListOptions, orgOption } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface Options extends ListOptions {
  json?: boolean;
  org?: string;
  everywhere?: boolean;
}

const chunkLength = 10_000;

export function addSuppressImport(suppress: Command, context: CliContext): void {
  listOptions(
    leaf(
      suppress,
      'import',
      'never dial the numbers of a CSV file (columns phone, reason, note and expires_at) again',
    ),
  )
    .argument('<file>')
    .option(...orgOption)
    .option('--everywhere', 'for all organizations of the installation')
    .action(async (file: string, options: Options) => {
      const counts = await inPlace(context, options, async (db, organizationId) => {
        const faults: FileFault[] = [];
        let added = 0;
        let known = 0;
        const report = (fault: FileFault) => faults.push(fault);
        const notes = new ListNotes();
        const chunks = readSuppressionsCsv(openFile(context, file), {
          options,
          // The list of the installation has no notes and no ends.
          fields: organizationId === null ? ['reason'] : suppressionFields,
          report,
          notes,
          chunkLength,
        });
        const seen = new Set<string>();
        // Each chunk commits: the gates of the organization wait for a commit, and a file that is imported again changes nothing.
        for await (const chunk of chunks) {
          const now = await engineNow(db);
          const rows = chunk.filter(({ line, expiresAt }) => {
            const message = faultOfEnd(expiresAt, now);
            if (message !== null) report({ line, message });
            return message === null;
          });
          const longest = new Map<string, NewSuppression>();
          for (const { line, ...row } of rows) {
            keepLongest(longest, row);
            if (seen.has(row.phoneNumber)) notes.repeats.push(line);
            seen.add(row.phoneNumber);
          }
          const suppressions = [...longest.values()];
          const phoneNumbers = suppressions.map((suppression) => suppression.phoneNumber);
          const fresh = await inTransaction(db, async (tx) => {
            if (organizationId === null) return suppressEverywhere(tx, suppressions);
            const count = await addSuppressions(tx, { organizationId, suppressions });
            await checkCallsOfSuppressed(tx, { organizationId, phoneNumbers });
            return count;
          });
          added += fresh;
          known += rows.length - fresh;
        }
        return {
          added,
          known,
          faults: faults.toSorted((one, other) => one.line - other.line),
          warnings: sayNotes(notes),
        };
      });
      say(context, options, counts, [
        ...counts.faults.map(skippedLine),
        ...counts.warnings.map((warning) => `warning: ${warning}`),
        `${counts.added} added, ${counts.known} known before, ${counts.faults.length} skipped`,
      ]);
    });
}

/** In the given organization, or for the whole installation. */
async function inPlace<T>(
  context: CliContext,
  options: Options,
  work: (db: Db, organizationId: string | null) => Promise<T>,
): Promise<T> {
  if (options.everywhere !== true) return inOrganization(context, options, work);
  return withDatabase(context, (db) => work(db, null));
}
