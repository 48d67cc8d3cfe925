import {
  auditOrganization,
  createOrganization,
  engineNow,
  inTransaction,
  updateOrganization,
  fillCalledPeople,
  type OrganizationChange,
  findOrganizations,
} from '@outdial/db';
import type { Command } from 'commander';
import { withDatabase } from '../open-database.ts';
import { callingPolicyOption, leaf, weight } from '../options.ts';
import { say, table } from '../output.ts';
import type { CliContext } from '../cli-context.ts';
import { changeOf, limitOptions, requireProvider, type OrgOptions, zoneWarnings } from './org-options.ts';
import { UsageError } from '../cli-error.ts';
import { findOrganization } from '../find-named.ts';

export function addOrgCreate(org: Command, context: CliContext): void {
  limitOptions(
    leaf(org, 'create', 'create an organization')
      .argument('<name>')
      .addOption(callingPolicyOption().makeOptionMandatory()),
  ).action(async (name: string, options: OrgOptions) => {
    const change = changeOf(options);
    const id = await withDatabase(context, async (db) => {
      await requireProvider(db, change.default_provider);
      return inTransaction(db, async (tx) => {
        const created = await createOrganization(tx, { name });
        auditOrganization(created);
        await updateOrganization(tx, created, change, await engineNow(tx));
        return created;
      });
    });
    const warning =
      change.allowed_countries == null
        ? ['  It may call every country: name those that it needs with `outdial org set --countries US,CA`.']
        : [];
    say(context, options, { id, name }, [
      `organization ${name}: ${id}`,
      ...warning,
      ...zoneWarnings(change.timezone),
    ]);
  });
}

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

/** Far more than an installation has. */
const organizationsAtMost = 10_000;

export function addOrgList(org: Command, context: CliContext): void {
  leaf(org, 'list', 'list the organizations, oldest first').action(async (options: { json?: boolean }) => {
    const organizations = await withDatabase(context, (db) =>
      findOrganizations(db, { limit: organizationsAtMost }),
    );
    const rows = organizations.map((one) => [
      one.id,
      one.name,
      one.timezone,
      one.max_lines === null ? 'no cap' : String(one.max_lines),
      one.default_provider ?? 'the installation’s',
    ]);
    say(context, options, { organizations }, table(['ID', 'NAME', 'TIMEZONE', 'LINES', 'PROVIDER'], rows));
  });
}
