import { listPendingCallerIds } from '@outdial/db';
import type { Command } from 'commander';
import { withDatabase } from '../open-database.ts';
import { leaf } from '../options.ts';
import { say, table } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

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
