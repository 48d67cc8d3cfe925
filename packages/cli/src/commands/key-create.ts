import { createApiKey, engineNow, inTransaction, lesserRole, type Role } from '@outdial/db';
import type { Command } from 'commander';
import { UsageError } from '../cli-error.ts';
import { findUser } from '../find-named.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption, roleOption, wholeNumberOf } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface Options {
  json?: boolean;
  org?: string;
  user: string;
  name: string;
  role?: Role;
  expiresInDays?: number;
}

const dayMs = 86_400_000;

export function addKeyCreate(key: Command, context: CliContext): void {
  leaf(key, 'create', 'create an API key; shown only once')
    .option(...orgOption)
    .requiredOption('--user <id or email>', 'the user of the key')
    .option('--name <name>', 'the purpose of the key', 'command line')
    .addOption(roleOption().default(undefined, "the user's"))
    .option('--expires-in-days <days>', 'never by default', wholeNumberOf('days', 5))
    .action(async (options: Options) => {
      const created = await inOrganization(context, options, async (db, organizationId) => {
        const user = await findUser(db, organizationId, options.user);
        const role = options.role ?? user.role;
        if (lesserRole(role, user.role) !== role) {
          throw new UsageError(`--role: a key cannot exceed the role of its user, which is ${user.role}`);
        }
        const expiresAt =
          options.expiresInDays === undefined
            ? null
            : new Date((await engineNow(db)).getTime() + options.expiresInDays * dayMs);
        const made = await inTransaction(db, (tx) =>
          createApiKey(tx, {
            organizationId,
            userId: user.id,
            name: options.name,
            role,
            expiresAt,
          }),
        );
        return { ...made, role, expires_at: expiresAt?.toISOString() ?? null };
      });
      say(context, options, created, [`key ${created.id} (${created.role}), shown only once:`, created.key]);
    });
}
