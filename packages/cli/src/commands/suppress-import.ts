import {
  addSuppressions,
  checkCallsOfSuppressed,
  inTransaction,
  suppressEverywhere,
  type Db,
} from '@outdial/db';
import type { Command } from 'commander';
import { skippedLine, type FileFault } from '../cli-error.ts';
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
    leaf(suppress, 'import', 'never dial the numbers of a CSV file (columns phone and reason) again'),
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
        const chunks = readSuppressionsCsv(openFile(context, file), {
          options,
          report,
          chunkLength,
        });
        // Each chunk commits: the gates of the organization wait for a commit, and a file that is imported again changes nothing.
        for await (const rows of chunks) {
          // A number that occurs twice counts at its first row.
          const suppressions = [...Map.groupBy(rows, (row) => row.phoneNumber).values()].flatMap(
            ([first]) => first ?? [],
          );
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
        return { added, known, faults };
      });
      say(context, options, counts, [
        ...counts.faults.map(skippedLine),
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
