import {
  listPendingCallerIds,
  confirmCallerId,
  engineNow,
  inTransaction,
  lockCallerIds,
  rejectCallerId,
} from '@outdial/db';
import type { Command } from 'commander';
import type { Numbering } from '@outdial/core';
import { withDatabase } from '../open-database.ts';
import { leaf, numberingOptions, orgOption } from '../options.ts';
import { say, table } from '../output.ts';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { readPhone } from '../csv/read-phone.ts';
import { inOrganization } from '../in-organization.ts';

const shownAtMost = 10_000;

export function addCallerIdList(callerId: Command, context: CliContext): void {
  leaf(
    callerId,
    'list',
    'list the numbers of all organizations that wait for confirmation, oldest first',
  ).action(async (options: { json?: boolean }) => {
    const pending = await withDatabase(context, (db) => listPendingCallerIds(db, { limit: shownAtMost }));
    const callerIds = pending.map((one) => ({ ...one, created_at: one.created_at.toISOString() }));
    const rows = callerIds.map((one) => [
      one.phone_number,
      one.organization,
      one.organization_id,
      one.created_at,
    ]);
    say(
      context,
      options,
      { caller_ids: callerIds },
      table(['NUMBER', 'ORGANIZATION', 'ITS ID', 'ADDED'], rows),
    );
  });
}

export function addCallerIdConfirm(callerId: Command, context: CliContext): void {
  decision(callerId, context, {
    name: 'confirm',
    description: 'let an organization call from a number that it added; check first that it is theirs',
    done: 'is confirmed',
    decide: async (tx, key) => confirmCallerId(tx, { ...key, now: await engineNow(tx) }),
  });
}

export function addCallerIdReject(callerId: Command, context: CliContext): void {
  decision(callerId, context, {
    name: 'reject',
    description: 'remove a number that an organization added and that is not theirs',
    done: 'is removed',
    decide: rejectCallerId,
  });
}

interface CallerIdConfirmOptions extends Numbering {
  json?: boolean;
  org?: string;
}

interface Decision {
  name: string;
  description: string;
  done: string;
  decide: typeof rejectCallerId;
}

function decision(parent: Command, context: CliContext, { name, description, done, decide }: Decision): void {
  numberingOptions(leaf(parent, name, description))
    .argument('<number>', 'as `outdial caller-id list` shows it')
    .option(...orgOption)
    .action(async (number: string, options: CallerIdConfirmOptions) => {
      const phone = readPhone(number, options);
      if (phone.kind === 'fault') throw new CliError('invalid_number', phone.message);
      const phoneNumber = phone.e164;
      await inOrganization(context, options, async (db, organizationId) => {
        const isDone = await inTransaction(db, async (tx) => {
          await lockCallerIds(tx, organizationId);
          return decide(tx, { organizationId, phoneNumber });
        });
        if (!isDone) {
          throw new CliError(
            'caller_id_not_pending',
            `the organization has no caller id ${phoneNumber} that waits for confirmation`,
          );
        }
      });
      say(context, options, { phone_number: phoneNumber }, [`caller id ${phoneNumber} ${done}`]);
    });
}
