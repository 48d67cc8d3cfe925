import {
  auditOrganization,
  createOrganization,
  engineNow,
  inTransaction,
  updateOrganization,
} from '@outdial/db';
import type { Command } from 'commander';
import { withDatabase } from '../open-database.ts';
import { callingPolicyOption, leaf } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';
import { changeOf, limitOptions, requireProvider, type OrgOptions, zoneWarnings } from './org-options.ts';

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
