import { createUser, inTransaction, noteChange, postgresCode, type Role } from '@outdial/db';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption, roleOption } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface Options {
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
    .action(async (email: string, options: Options) => {
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
