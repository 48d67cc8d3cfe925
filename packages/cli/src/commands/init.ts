import {
  auditOrganization,
  createApiKey,
  createFirstOrganization,
  createUser,
  inTransaction,
} from '@outdial/db';
import type { CallingPolicy } from '@outdial/core';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { withDatabase } from '../open-database.ts';
import { callingPolicyOption, leaf, timezoneOption } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface Options {
  json?: boolean;
  org: string;
  timezone?: string;
  callingPolicy: CallingPolicy;
  email: string;
  firstName: string;
  lastName: string;
}

/** `outdial init`: all that a new installation needs before its first request, or nothing. */
export function addInit(program: Command, context: CliContext): void {
  leaf(program, 'init', 'create the first organization, its admin and an API key, which is shown only once')
    .option('--org <name>', 'name of the organization', 'My organization')
    .addOption(timezoneOption('IANA; the default for campaigns'))
    .addOption(callingPolicyOption().default('none'))
    .option('--email <address>', 'of the admin', 'admin@localhost')
    .option('--first-name <name>', 'of the admin', 'First')
    .option('--last-name <name>', 'of the admin', 'Admin')
    .action(async (options: Options) => {
      const made = await withDatabase(context, (db) =>
        inTransaction(db, async (tx) => {
          const organizationId = await createFirstOrganization(tx, {
            name: options.org,
            calling_policy: options.callingPolicy,
            ...(options.timezone !== undefined && { timezone: options.timezone }),
          });
          if (organizationId === null) throw alreadyInitialized();
          auditOrganization(organizationId);
          const role = 'admin';
          const { email, firstName, lastName } = options;
          const userId = await createUser(tx, { organizationId, email, firstName, lastName, role });
          const { id: keyId, key } = await createApiKey(tx, {
            organizationId,
            userId,
            name: 'outdial init',
            role,
          });
          return { organization_id: organizationId, user_id: userId, key_id: keyId, key };
        }),
      );
      say(context, options, made, [
        `organization ${options.org}: ${made.organization_id}`,
        `admin ${options.email}: ${made.user_id}`,
        `key ${made.key_id} (admin), shown only once:`,
        made.key,
      ]);
    });
}

function alreadyInitialized(): CliError {
  return new CliError(
    'already_initialized',
    'an organization already exists; create another key with `outdial key create`',
  );
}
