import { listApiKeys } from '@outdial/db';
import type { Command } from 'commander';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import { say, table } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

/** Far more than an organization has. */
const keysAtMost = 10_000;

export function addKeyList(key: Command, context: CliContext): void {
  leaf(key, 'list', 'list the API keys, newest first, without the keys themselves')
    .option(...orgOption)
    .action(async (options: { json?: boolean; org?: string }) => {
      const keys = await inOrganization(context, options, (db, organizationId) =>
        listApiKeys(db, { organizationId, page: { limit: keysAtMost, after: null } }),
      );
      const rows = keys.map((one) => [
        one.id,
        `${one.prefix}…`,
        one.name,
        one.role,
        one.revoked_at === null ? (one.expires_at?.toISOString() ?? 'never') : 'revoked',
        one.last_used_at?.toISOString() ?? 'never',
      ]);
      say(context, options, { keys }, table(['ID', 'KEY', 'NAME', 'ROLE', 'EXPIRES', 'LAST USED'], rows));
    });
}
