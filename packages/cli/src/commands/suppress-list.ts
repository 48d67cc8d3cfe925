import { listSuppressions, readPages, type SuppressionRow } from '@outdial/db';
import type { Command } from 'commander';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import type { CliContext } from '../cli-context.ts';

const pageLength = 5_000;

/** `outdial suppress list`: written as it is read, a line a number, newest first. */
export function addSuppressList(suppress: Command, context: CliContext): void {
  leaf(suppress, 'list', 'list the numbers that are never dialed; with --json a document a line')
    .option(...orgOption)
    .action(async (options: { json?: boolean; org?: string }) => {
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
