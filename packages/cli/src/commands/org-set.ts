import {
  engineNow,
  fillCalledPeople,
  inTransaction,
  updateOrganization,
  type OrganizationChange,
} from '@outdial/db';
import type { Command } from 'commander';
import { UsageError } from '../cli-error.ts';
import { findOrganization } from '../find-named.ts';
import { withDatabase } from '../open-database.ts';
import { callingPolicyOption, leaf, weight } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';
import { changeOf, limitOptions, requireProvider, type OrgOptions, zoneWarnings } from './org-options.ts';

export function addOrgSet(org: Command, context: CliContext): void {
  limitOptions(
    leaf(org, 'set', 'change an organization; other settings stay as they are')
      .argument('<id or name>')
      .addOption(callingPolicyOption())
      .option('--name <name>', 'its new name')
      .option('--weight <number>', 'its weight when organizations share lines; 1 by default', weight),
  ).action(async (named: string, options: OrgOptions & { name?: string; weight?: number }) => {
    const { name, weight: lineWeight, ...settings } = options;
    const change = {
      ...changeOf(settings),
      ...(name !== undefined && { name }),
      ...(lineWeight !== undefined && { line_weight: lineWeight }),
    };
    if (Object.keys(change).length === 0) throw new UsageError('nothing to set: name at least one option');
    if (change.name === '') throw new UsageError('a name cannot be empty');
    const after = await withDatabase(context, async (db) => {
      await requireProvider(db, change.default_provider);
      const { id } = await findOrganization(db, named);
      // Most calls are counted before, since gates wait for the transaction.
      if (bringsCaps(change)) await fillCalledPeople(db, id);
      await inTransaction(db, async (tx) => updateOrganization(tx, id, change, await engineNow(tx)));
      return findOrganization(db, id);
    });
    say(context, options, after, [
      `organization ${after.name}: ${after.id}`,
      `  timezone ${after.timezone} · lines ${after.max_lines ?? 'no cap'} · provider ${after.default_provider ?? 'the installation’s'}`,
      ...zoneWarnings(change.timezone),
    ]);
  });
}

function bringsCaps({ person_caps: personCaps, calling_policy: callingPolicy }: OrganizationChange): boolean {
  return personCaps !== undefined || (callingPolicy !== undefined && callingPolicy !== 'none');
}
