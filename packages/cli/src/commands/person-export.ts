import { findRecipientsOfPerson, findSuppression, listCalls, type ListedCallRow } from '@outdial/db';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../cli-context.ts';
import { PhoneReader } from '../csv/phone-column.ts';
import { findOrganization } from '../find-named.ts';
import { withDatabase } from '../open-database.ts';
import { leaf, orgOption } from '../options.ts';

const pageLength = 500;
const recipientsAtMost = 100_000;

/** `outdial person export NUMBER`: a JSON document a line, however much there is. */
export function addPersonExport(person: Command, context: CliContext): void {
  leaf(person, 'export', 'write what an organization knows of a person, a JSON document a line')
    .argument('<number>')
    .option(...orgOption)
    .option('--country <code>', 'of a number that is written without +')
    .action(async (text: string, options: { org?: string; country?: string }) => {
      const phone = new PhoneReader(options.country).read(text, 1);
      if (phone.kind === 'fault') throw new CliError('invalid_number', `the number ${phone.message}`);
      const write = (kind: string, row: object) => context.out.write(`${JSON.stringify({ kind, ...row })}\n`);
      await withDatabase(context, async (db) => {
        const { id: organizationId } = await findOrganization(db, options.org);
        const person = { organizationId, phoneNumber: phone.e164 };
        const suppression = await findSuppression(db, person);
        if (suppression !== null) write('suppression', suppression);
        const recipients = await findRecipientsOfPerson(db, { ...person, limit: recipientsAtMost });
        for (const row of recipients) write('recipient', row);
        let page: ListedCallRow[] = [];
        do {
          const last = page.at(-1);
          const after = last === undefined ? null : { at: last.row_instant, id: last.id };
          const filters = { phoneNumber: phone.e164 };
          page = await listCalls(db, { organizationId, filters, page: { limit: pageLength, after } });
          for (const row of page) write('call', row);
        } while (page.length === pageLength);
      });
    });
}
