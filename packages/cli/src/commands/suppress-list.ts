import { listSuppressions, type SuppressionRow } from '@outdial/db';
import type { Command } from 'commander';
import { findOrganization } from '../find-named.ts';
import { withDatabase } from '../open-database.ts';
import { leaf, orgOption } from '../options.ts';
import type { CliContext } from '../cli-context.ts';

const pageLength = 5_000;

/** `outdial suppress list`: written as it is read, a line a number, newest first. */
export function addSuppressList(suppress: Command, context: CliContext): void {
  leaf(suppress, 'list', 'list the numbers that are never dialed; with --json a document a line')
    .option(...orgOption)
    .action(async (options: { json?: boolean; org?: string }) => {
      await withDatabase(context, async (db) => {
        const { id: organizationId } = await findOrganization(db, options.org);
        let page: SuppressionRow[] = [];
        do {
          const last = page.at(-1);
          const after = last === undefined ? null : { at: last.row_instant, id: last.phone_number };
          page = await listSuppressions(db, { organizationId, page: { limit: pageLength, after } });
          const lines = page.map((row) => (options.json === true ? JSON.stringify(shown(row)) : lineOf(row)));
          if (lines.length > 0) context.out.write(`${lines.join('\n')}\n`);
        } while (page.length === pageLength);
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
