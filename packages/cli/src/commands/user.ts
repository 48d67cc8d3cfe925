import {
  createUser,
  inTransaction,
  noteChange,
  postgresCode,
  type Role,
  createSignInLink,
  listUsers,
} from '@outdial/db';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption, roleOption, wholeNumberOf } from '../options.ts';
import { say, table } from '../output.ts';
import type { CliContext } from '../cli-context.ts';
import { findOrganization, findUser } from '../find-named.ts';
import { environmentOf, withDatabase } from '../open-database.ts';

interface UserCreateOptions {
  json?: boolean;
  org?: string;
  firstName: string;
  lastName: string;
  role: Role;
}

export function addUserCreate(user: Command, context: CliContext): void {
  leaf(user, 'create', 'create a user')
    .argument('<email>')
    .option(...orgOption)
    .requiredOption('--first-name <name>')
    .requiredOption('--last-name <name>')
    .addOption(roleOption().makeOptionMandatory())
    .action(async (email: string, options: UserCreateOptions) => {
      const { firstName, lastName, role } = options;
      const id = await inOrganization(context, options, async (db, organizationId) => {
        try {
          return await inTransaction(db, async (tx) => {
            const made = await createUser(tx, { organizationId, email, firstName, lastName, role });
            noteChange({ type: 'user', id: made, after: { role } });
            return made;
          });
        } catch (error) {
          if (postgresCode(error) === '23505') {
            throw new CliError('user_exists', `a user ${email} already exists`);
          }
          throw error;
        }
      });
      say(context, options, { id, email, role }, `user ${email} (${role}): ${id}`);
    });
}

interface UserLinkOptions {
  json?: boolean;
  org?: string;
  expiresInMinutes: number;
}

/** The default address of the api on this machine, unless PUBLIC_URL is set. */
const localUrl = 'http://localhost:3000';

/** `outdial user link`: signs a user in at the console, once. */
export function addUserLink(user: Command, context: CliContext): void {
  leaf(user, 'link', 'create a link that signs a user in to the console once; shown only once')
    .argument('<id or email>')
    .option(...orgOption)
    .option('--expires-in-minutes <minutes>', 'how long it is valid', wholeNumberOf('minutes', 5), 60)
    .action(async (named: string, options: UserLinkOptions) => {
      const now = context.now();
      const expiresAt = new Date(now.getTime() + options.expiresInMinutes * 60_000);
      const { token, email } = await withDatabase(context, async (db) => {
        const { id: organizationId } = await findOrganization(db, options.org);
        const found = await findUser(db, organizationId, named);
        const made = await inTransaction(db, (tx) =>
          createSignInLink(tx, { organizationId, userId: found.id, madeBy: null, now, expiresAt }),
        );
        return { token: made, email: found.email };
      });
      // Behind the #, so that no server and no log on the way sees it.
      const link = `${baseUrl(context)}/console/sign-in#link=${token}`;
      say(context, options, { link, email, expires_at: expiresAt.toISOString() }, [
        `link for ${email}, valid once, until ${expiresAt.toISOString()}, shown only once:`,
        link,
      ]);
    });
}

function baseUrl(context: CliContext): string {
  const set = environmentOf(context)['PUBLIC_URL'];
  return (set === undefined || set.trim() === '' ? localUrl : set.trim()).replace(/\/+$/, '');
}

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
