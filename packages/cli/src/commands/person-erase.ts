import type { Numbering } from '@outdial/core';
import { engineNow, erasePerson, findErasure, inTransaction } from '@outdial/db';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../cli-context.ts';
import { readPhone } from '../csv/read-phone.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, numberingOptions, orgOption } from '../options.ts';
import { say } from '../output.ts';

interface Options extends Numbering {
  json?: boolean;
  org?: string;
  keepSuppressed?: boolean;
  forgetOptOut?: boolean;
}

export function addPersonErase(person: Command, context: CliContext): void {
  numberingOptions(leaf(person, 'erase', 'erase the data of a person; counts stay'))
    .argument('<number>')
    .option(...orgOption)
    .option('--keep-suppressed', 'keep the number, but only on the suppression list')
    .option('--forget-opt-out', 'keep no hash of a suppressed number either, so that it can be called again')
    .action(async (text: string, options: Options) => {
      const phone = readPhone(text, options);
      if (phone.kind === 'fault') throw new CliError('invalid_number', `the number ${phone.message}`);
      const receipt = await inOrganization(context, options, async (db, organizationId) => {
        const result = await inTransaction(db, async (tx) =>
          erasePerson(tx, {
            organizationId,
            phoneNumber: phone.e164,
            keepSuppressed: options.keepSuppressed === true,
            forgetsOptOut: options.forgetOptOut === true,
            requestedBy: null,
            now: await engineNow(tx),
          }),
        );
        if (result.kind === 'in_call') {
          throw new CliError('call_in_progress', 'a call to this person is in progress or about to begin');
        }
        return findErasure(db, { organizationId, erasureId: result.erasureId });
      });
      if (receipt === null) throw new CliError('erasure_not_found', 'the receipt was not found');
      const { id, created_at: createdAt, counts } = receipt;
      say(context, options, { id, created_at: createdAt, ...counts }, [
        `erasure ${id}: calls ${counts.calls} · recipients ${counts.recipients} · suppressions ${counts.suppressions}`,
        `  recordings ${counts.recordings}, deleted at their providers soon`,
      ]);
    });
}
