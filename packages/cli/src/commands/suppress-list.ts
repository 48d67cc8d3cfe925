import { listSuppressions } from '@outdial/db';
import type { Command } from 'commander';
import { findOrganization } from '../find-named.ts';
import { withDatabase } from '../open-database.ts';
import { leaf, orgOption } from '../options.ts';
import type { CliContext } from '../cli-context.ts';

const pageLength = 5_000;

/** `outdial suppress list`: written as it is read, a line a number. */
export function addSuppressList(suppress: Command, context: CliContext): void {
  leaf(suppress, 'list', 'list the numbers that are never dialed; with --json a document a line')
    .option(...orgOption)
    .action(async (options: { json?: boolean; org?: string }) => {
      await withDatabase(context, async (db) => {
        const { id: organizationId } = await findOrganization(db, options.org);
        let after: string | undefined = '';
        while (after !== undefined) {
          const page = await listSuppressions(db, { organizationId, after, limit: pageLength });
          const lines = page.map((row) =>
            options.json === true
              ? JSON.stringify(row)
              : [row.phone_number, row.reason].filter(Boolean).join('  '),
          );
          if (lines.length > 0) context.out.write(`${lines.join('\n')}\n`);
          after = page.length < pageLength ? undefined : page.at(-1)?.phone_number;
        }
      });
    });
}
