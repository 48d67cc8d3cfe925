import { allowEverywhere, removeSuppression } from '@outdial/db';
import type { Numbering } from '@outdial/core';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { readPhone } from '../csv/read-phone.ts';
import { inOrganization } from '../in-organization.ts';
import { withDatabase } from '../open-database.ts';
import { leaf, numberingOptions, orgOption } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface Options extends Numbering {
  json?: boolean;
  org?: string;
  everywhere?: boolean;
}

export function addSuppressRemove(suppress: Command, context: CliContext): void {
  numberingOptions(leaf(suppress, 'remove', 'allow a number again; suppressed recipients stay suppressed'))
    .argument('<number>')
    .option(...orgOption)
    .option('--everywhere', 'remove it from the list of the whole installation')
    .action(async (number: string, options: Options) => {
      const phone = readPhone(number, options);
      if (phone.kind === 'fault') throw new CliError('invalid_number', phone.message);
      const phoneNumber = phone.e164;
      const removed = options.everywhere
        ? (await withDatabase(context, (db) => allowEverywhere(db, [phoneNumber]))) > 0
        : await inOrganization(context, options, (db, organizationId) =>
            removeSuppression(db, { organizationId, phoneNumber }),
          );
      if (!removed) throw new CliError('not_suppressed', 'the number is not on the list');
      say(context, options, { removed: 1 }, 'removed');
    });
}
