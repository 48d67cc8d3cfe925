import { findOrganizations } from '@outdial/db';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { withDatabase } from '../open-database.ts';
import { leaf } from '../options.ts';
import { say, table } from '../output.ts';

/** Far more than an installation has. */
const organizationsAtMost = 10_000;

export function addOrgList(org: Command, context: CliContext): void {
  leaf(org, 'list', 'list the organizations, oldest first').action(async (options: { json?: boolean }) => {
    const organizations = await withDatabase(context, (db) =>
      findOrganizations(db, { limit: organizationsAtMost }),
    );
    const rows = organizations.map((one) => [
      one.id,
      one.name,
      one.timezone,
      one.max_lines === null ? 'no cap' : String(one.max_lines),
      one.default_provider ?? 'the installation’s',
    ]);
    say(context, options, { organizations }, table(['ID', 'NAME', 'TIMEZONE', 'LINES', 'PROVIDER'], rows));
  });
}
