import { listSuppressedEverywhere, listSuppressions, readPages, type SuppressionRow } from '@outdial/db';
import type { Command } from 'commander';
import { inOrganization } from '../in-organization.ts';
import { withDatabase } from '../open-database.ts';
import { leaf, orgOption } from '../options.ts';
import type { CliContext } from '../cli-context.ts';

const pageLength = 5_000;

/** `outdial suppress list`: one line per number, newest first, streamed. */
export function addSuppressList(suppress: Command, context: CliContext): void {
  leaf(suppress, 'list', 'list the numbers that are never dialed; with --json one document per line')
    .option(...orgOption)
    .option('--everywhere', 'the list of the whole installation')
    .action(async (options: { json?: boolean; org?: string; everywhere?: boolean }) => {
      if (options.everywhere === true) return listEverywhere(context, options.json === true);
      await inOrganization(context, options, async (db, organizationId) => {
        const pages = readPages({
          rowsAtOnce: pageLength,
          read: (page) => listSuppressions(db, { organizationId, page }),
          position: (row: SuppressionRow) => [row.row_instant, row.phone_number] as const,
        });
        for await (const rows of pages) {
          const lines = rows.map((row) => (options.json === true ? JSON.stringify(shown(row)) : lineOf(row)));
          if (lines.length > 0) context.out.write(`${lines.join('\n')}\n`);
        }
      });
    });
}

function lineOf({ phone_number: number, reason, expires_at: expiresAt }: SuppressionRow): string {
  const until = expiresAt === null ? null : `until ${expiresAt.toISOString()}`;
  return [number, reason, until].filter(Boolean).join('  ');
}

function shown(row: SuppressionRow) {
  const { phone_number, reason, source, note, created_at, expires_at } = row;
  return { phone_number, reason, source, note, created_at, expires_at };
}

/** Sorted by number. */
async function listEverywhere(context: CliContext, asJson: boolean): Promise<void> {
  await withDatabase(context, async (db) => {
    let after = '';
    for (;;) {
      const rows = await listSuppressedEverywhere(db, { after, limit: pageLength });
      const last = rows.at(-1);
      if (last === undefined) return;
      const lines = rows.map((row) =>
        asJson ? JSON.stringify(row) : [row.phone_number, row.reason].filter(Boolean).join('  '),
      );
      context.out.write(`${lines.join('\n')}\n`);
      after = last.phone_number;
    }
  });
}
