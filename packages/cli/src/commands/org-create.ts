import { createOrganization, engineNow, inTransaction, updateOrganization } from '@outdial/db';
import type { Command } from 'commander';
import { withDatabase } from '../open-database.ts';
import { leaf } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../run-cli.ts';
import { limitOptions, requireProvider, type OrgOptions } from './org-options.ts';

/** `outdial org create NAME` */
export function addOrgCreate(org: Command, context: CliContext): void {
  limitOptions(leaf(org, 'create', 'make an organization').argument('<name>')).action(
    async (name: string, options: OrgOptions) => {
      const id = await withDatabase(context, async (db) => {
        await requireProvider(db, options.defaultProvider);
        return inTransaction(db, async (tx) => {
          const { timezone, maxLines, defaultProvider } = options;
          const created = await createOrganization(tx, { name, ...(timezone !== undefined && { timezone }) });
          await updateOrganization(
            tx,
            created,
            {
              ...(maxLines !== undefined && { maxLines }),
              ...(defaultProvider !== undefined && { defaultProvider }),
            },
            await engineNow(tx),
          );
          return created;
        });
      });
      say(context, options, { id, name }, `organization ${name}: ${id}`);
    },
  );
}
