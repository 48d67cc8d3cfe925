import { addSuppressions, checkCallsOfSuppressed, inTransaction } from '@outdial/db';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { PhoneReader } from '../csv/phone-column.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface Options {
  json?: boolean;
  org?: string;
  country?: string;
  reason?: string;
}

/** `outdial suppress add NUMBER…` */
export function addSuppressAdd(suppress: Command, context: CliContext): void {
  leaf(suppress, 'add', 'never dial these numbers again')
    .argument('<numbers...>')
    .option(...orgOption)
    .option('--country <code>', 'of numbers that are written without +')
    .option('--reason <text>')
    .action(async (numbers: string[], options: Options) => {
      const phones = new PhoneReader(options.country);
      const suppressions = [...new Set(numbers)].map((text) => {
        const phone = phones.read(text, 1);
        if (phone.kind === 'fault') throw new CliError('invalid_number', `${text}: ${phone.message}`);
        return { phoneNumber: phone.e164, reason: options.reason ?? null };
      });
      const added = await inOrganization(context, options, async (db, organizationId) => {
        return inTransaction(db, async (tx) => {
          const phoneNumbers = suppressions.map((suppression) => suppression.phoneNumber);
          // The scheduler finds the calls that wait for these numbers at a provider.
          await checkCallsOfSuppressed(tx, { organizationId, phoneNumbers });
          return addSuppressions(tx, { organizationId, suppressions });
        });
      });
      const known = suppressions.length - added;
      say(context, options, { added, known }, `${added} added, ${known} known before`);
    });
}
