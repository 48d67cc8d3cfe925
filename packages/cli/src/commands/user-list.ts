import { listUsers } from '@outdial/db';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import { say, table } from '../output.ts';

/** Far more than an organization has. */
const usersAtMost = 10_000;

export function addUserList(user: Command, context: CliContext): void {
  leaf(user, 'list', 'list the users of an organization, newest first')
    .option(...orgOption)
    .action(async (options: { json?: boolean; org?: string }) => {
      const found = await inOrganization(context, options, (db, organizationId) =>
        listUsers(db, { organizationId, page: { limit: usersAtMost, after: null } }),
      );
      const users = found.map(({ row_instant: _instant, ...one }) => one);
      const rows = users.map((one) => [
        one.id,
        one.email,
        `${one.first_name} ${one.last_name}`.trim(),
        one.role,
        one.disabled_at === null ? '' : 'disabled',
      ]);
      say(context, options, { users }, table(['ID', 'EMAIL', 'NAME', 'ROLE', ''], rows));
    });
}
