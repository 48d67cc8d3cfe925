import { type AuditLogRow, listAuditLog } from '@outdial/db';
import { InvalidArgumentError, type Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { findOrganization } from '../find-named.ts';
import { withDatabase } from '../open-database.ts';
import { leaf, orgOption } from '../options.ts';
import { say, table } from '../output.ts';

interface Options {
  json?: boolean;
  org?: string;
  installation?: boolean;
  limit: number;
}

export function addAuditList(audit: Command, context: CliContext): void {
  leaf(audit, 'list', 'list changes and who made them, newest first')
    .option(...orgOption)
    .option('--installation', 'changes of operators that belong to no organization, such as providers')
    .option('--limit <number>', 'the maximum of entries', entries, 100)
    .action(async (options: Options) => {
      const rows = await withDatabase(context, async (db) => {
        const organizationId =
          options.installation === true ? null : (await findOrganization(db, options.org)).id;
        return listAuditLog(db, { organizationId, filters: {}, page: { limit: options.limit, after: null } });
      });
      const shown = rows.map(({ row_instant: _instant, ...row }) => row);
      const lines = rows.map((row) => [
        row.created_at.toISOString(),
        row.action,
        actorOf(row),
        row.ip ?? '',
        [row.target_type, row.target_id].filter((part) => part !== null).join(' '),
        whatOf(row),
      ]);
      say(
        context,
        options,
        { entries: shown },
        table(['AT', 'ACTION', 'BY', 'FROM', 'TARGET', 'WHAT'], lines),
      );
    });
}

function actorOf(row: AuditLogRow): string {
  if (row.actor_type === 'operator') return `operator ${row.operator ?? ''}`.trim();
  const name = `${row.first_name ?? ''} ${row.last_name ?? ''}`.trim();
  return name === '' ? (row.user_id ?? '') : name;
}

function whatOf({ changes, fields }: AuditLogRow): string {
  const changed = Object.entries(changes).map(
    ([field, { before, after }]) => `${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
  );
  return (changed.length > 0 ? changed : fields).join(', ');
}

function entries(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('Must be a whole number from 1 to 99999.');
  return Number(text);
}
