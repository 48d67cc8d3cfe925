import { maskPhoneNumber, type Numbering } from '@outdial/core';
import {
  auditOrganization,
  byInstant,
  findPersonOfNumber,
  findRecipientsOfPerson,
  findSuppression,
  inTransaction,
  listCalls,
  listConsents,
  listNumberChanges,
  listNumberQueries,
  listRevocations,
  listScrubLists,
  type NewestFirst,
  noteChange,
  readPages,
  engineNow,
  erasePerson,
  findErasure,
} from '@outdial/db';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../cli-context.ts';
import { readPhone } from '../csv/read-phone.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, numberingOptions, orgOption } from '../options.ts';
import { say } from '../output.ts';

/** A row can have hundreds of kilobytes. */
const rowsAtOnce = 50;
/** They are short, and nobody asks so often. */
const revocationsAtMost = 10_000;

/** `outdial person export NUMBER`: one JSON document per line, streamed. */
export function addPersonExport(person: Command, context: CliContext): void {
  numberingOptions(leaf(person, 'export', 'write all data of a person, one JSON document per line'))
    .argument('<number>')
    .option(...orgOption)
    .action(async (text: string, options: { org?: string } & Numbering) => {
      const phone = readPhone(text, options);
      if (phone.kind === 'fault') throw new CliError('invalid_number', `the number ${phone.message}`);
      // A call and a number change have a kind of their own.
      const write = (kind: string, row: object) =>
        context.out.write(
          `${JSON.stringify({ kind, ...row, ...('kind' in row && { kind, [`${kind}_kind`]: row.kind }) })}\n`,
        );
      await inOrganization(context, options, async (db, organizationId) => {
        const person = { organizationId, phoneNumber: phone.e164 };
        await inTransaction(db, async () => {
          auditOrganization(organizationId);
          noteChange({ type: 'person', id: maskPhoneNumber(phone.e164) });
        });
        const named = await findPersonOfNumber(db, person);
        if (named !== null) write('person', named);
        const suppression = await findSuppression(db, person);
        if (suppression !== null) write('suppression', suppression);
        for (const row of await listRevocations(db, { ...person, limit: revocationsAtMost })) {
          write('revocation', row);
        }
        const recipients = readPages({
          rowsAtOnce,
          read: (page: NewestFirst) => findRecipientsOfPerson(db, { ...person, page }),
          position: (row) => row.position,
        });
        for await (const rows of recipients) {
          for (const { recipient } of rows) write('recipient', recipient);
        }
        const filters = { phoneNumber: phone.e164 };
        const lists: Record<
          string,
          (page: NewestFirst) => Promise<Array<{ row_instant: string; id: string }>>
        > = {
          consent: (page) => listConsents(db, { ...person, page }),
          number_query: (page) => listNumberQueries(db, { ...person, page }),
          number_change: (page) => listNumberChanges(db, { ...person, page }),
          scrub_list: (page) => listScrubLists(db, { ...person, page }),
          call: (page) => listCalls(db, { organizationId, filters, page }),
        };
        for (const [kind, read] of Object.entries(lists)) {
          for await (const rows of readPages({ rowsAtOnce, read, position: byInstant })) {
            for (const row of rows) write(kind, row);
          }
        }
      });
    });
}

interface PersonEraseOptions extends Numbering {
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
    .action(async (text: string, options: PersonEraseOptions) => {
      const phone = readPhone(text, options);
      if (phone.kind === 'fault') throw new CliError('invalid_number', `the number ${phone.message}`);
      const receipt = await inOrganization(context, options, async (db, organizationId) => {
        const erasureId = await inTransaction(db, async (tx) =>
          erasePerson(tx, {
            organizationId,
            phoneNumber: phone.e164,
            keepSuppressed: options.keepSuppressed === true,
            forgetsOptOut: options.forgetOptOut === true,
            requestedBy: null,
            now: await engineNow(tx),
          }),
        );
        return findErasure(db, { organizationId, erasureId });
      });
      if (receipt === null) throw new CliError('erasure_not_found', 'the receipt was not found');
      const { id, created_at: createdAt, counts } = receipt;
      say(context, options, { id, created_at: createdAt, ...counts }, [
        `erasure ${id}: calls ${counts.calls} · recipients ${counts.recipients} · suppressions ${counts.suppressions}`,
        `  recordings ${counts.recordings}, deleted at their providers soon`,
      ]);
    });
}
