import {
  addSuppressions,
  checkCallsOfSuppressed,
  inTransaction,
  suppressEverywhere,
  allowEverywhere,
  removeSuppression,
  listSuppressedEverywhere,
  listSuppressions,
  readPages,
  type SuppressionRow,
} from '@outdial/db';
import type { Numbering } from '@outdial/core';
import type { Command } from 'commander';
import { CliError, type FileFault } from '../cli-error.ts';
import { readPhone } from '../csv/read-phone.ts';
import { inOrganization } from '../in-organization.ts';
import { withDatabase } from '../open-database.ts';
import { leaf, numberingOptions, orgOption } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface SuppressAddOptions extends Numbering {
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
    .action(async (numbers: string[], options: SuppressAddOptions) => {
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

interface SuppressRemoveOptions extends Numbering {
  json?: boolean;
  org?: string;
  everywhere?: boolean;
}

export function addSuppressRemove(suppress: Command, context: CliContext): void {
  numberingOptions(leaf(suppress, 'remove', 'allow a number again; suppressed recipients stay suppressed'))
    .argument('<number>')
    .option(...orgOption)
    .option('--everywhere', 'remove it from the list of the whole installation')
    .action(async (number: string, options: SuppressRemoveOptions) => {
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

const pageLength = 5_000;

/** `outdial suppress list`: one line per number, newest first, streamed. */
export function addSuppressList(suppress: Command, context: CliContext): void {
  leaf(suppress, 'list', 'list the numbers that are never dialed; with --json one document per line')
    .option(...orgOption)
    .option('--everywhere', 'the list of the whole installation')
    .action(async (options: { json?: boolean; org?: string; everywhere?: boolean }) => {
      if (options.everywhere === true) return listEverywhere(context, options.json === true);
      await inOrganization(context, options, async (db, organizationId) => {
        const pages = readPages({
          rowsAtOnce: pageLength,
          read: (page) => listSuppressions(db, { organizationId, page }),
          position: (row: SuppressionRow) => [row.row_instant, row.phone_number] as const,
        });
        for await (const rows of pages) {
          const lines = rows.map((row) => (options.json === true ? JSON.stringify(shown(row)) : lineOf(row)));
          if (lines.length > 0) context.out.write(`${lines.join('\n')}\n`);
        }
      });
    });
}

function lineOf({ phone_number: number, reason, expires_at: expiresAt }: SuppressionRow): string {
  const until = expiresAt === null ? null : `until ${expiresAt.toISOString()}`;
  return [number, reason, until].filter(Boolean).join('  ');
}

function shown(row: SuppressionRow) {
  const { phone_number, reason, source, note, created_at, expires_at } = row;
  return { phone_number, reason, source, note, created_at, expires_at };
}

/** Sorted by number. */
async function listEverywhere(context: CliContext, asJson: boolean): Promise<void> {
  await withDatabase(context, async (db) => {
    let after = '';
    for (;;) {
      const rows = await listSuppressedEverywhere(db, { after, limit: pageLength });
      const last = rows.at(-1);
      if (last === undefined) return;
      const lines = rows.map((row) =>
        asJson ? JSON.stringify(row) : [row.phone_number, row.reason].filter(Boolean).join('  '),
      );
      context.out.write(`${lines.join('\n')}\n`);
      after = last.phone_number;
    }
  });
}
