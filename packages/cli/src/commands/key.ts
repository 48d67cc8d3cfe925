import {
  createApiKey,
  engineNow,
  inTransaction,
  lesserRole,
  type Role,
  listApiKeys,
  revokeApiKey,
} from '@outdial/db';
import type { Command } from 'commander';
import { UsageError, CliError } from '../cli-error.ts';
import { findUser } from '../find-named.ts';
import { inOrganization, isId } from '../in-organization.ts';
import { leaf, orgOption, roleOption, wholeNumberOf } from '../options.ts';
import { say, table } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface KeyCreateOptions {
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
    .action(async (options: KeyCreateOptions) => {
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

export function addKeyRevoke(key: Command, context: CliContext): void {
  leaf(key, 'revoke', 'revoke an API key for good')
    .argument('<id>')
    .option(...orgOption)
    .action(async (id: string, options: { json?: boolean; org?: string }) => {
      await inOrganization(context, options, async (db, organizationId) => {
        const isRevoked =
          isId(id) &&
          (await inTransaction(db, async (tx) =>
            revokeApiKey(tx, { organizationId, id, now: await engineNow(tx) }),
          ));
        if (!isRevoked) throw new CliError('key_not_found', `the organization has no key ${id}`);
      });
      say(context, options, { id, revoked: true }, `key ${id} is revoked`);
    });
}
