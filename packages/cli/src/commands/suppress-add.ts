import { addSuppressions, checkCallsOfSuppressed, inTransaction, suppressEverywhere } from '@outdial/db';
import type { Numbering } from '@outdial/core';
import type { Command } from 'commander';
import { CliError, type FileFault } from '../cli-error.ts';
import { readPhone } from '../csv/read-phone.ts';
import { inOrganization } from '../in-organization.ts';
import { withDatabase } from '../open-database.ts';
import { leaf, numberingOptions, orgOption } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface Options extends Numbering {
  json?: boolean;
  org?: string;
  reason?: string;
  everywhere?: boolean;
}

export function addSuppressAdd(suppress: Command, context: CliContext): void {
  numberingOptions(leaf(suppress, 'add', 'never dial these numbers again'))
    .argument('<numbers...>')
    .option(...orgOption)
    .option('--reason <text>')
    .option('--everywhere', 'for all organizations of the installation')
    .action(async (numbers: string[], options: Options) => {
      const faults: FileFault[] = [];
      const reason = options.reason ?? null;
      const read = [...new Set(numbers)].flatMap((text, index) => {
        const phone = readPhone(text, options);
        if (phone.kind === 'ok') return [phone.e164];
        faults.push({ line: index + 1, message: phone.message });
        return [];
      });
      const suppressions = [...new Set(read)].map((phoneNumber) => ({ phoneNumber, reason }));
      if (faults.length > 0) {
        const message = `${faults.length} of ${numbers.length} numbers cannot be read; none was added`;
        throw new CliError('invalid_number', message, faults, 'number');
      }
      if (options.everywhere === true) {
        const added = await withDatabase(context, (db) =>
          inTransaction(db, (tx) => suppressEverywhere(tx, suppressions)),
        );
        const known = suppressions.length - added;
        say(
          context,
          options,
          { added, known },
          `${added} added, ${known} known before, for all organizations`,
        );
        return;
      }
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
