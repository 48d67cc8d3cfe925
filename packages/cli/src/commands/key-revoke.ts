import { engineNow, inTransaction, revokeApiKey } from '@outdial/db';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { inOrganization, isId } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

export function addKeyRevoke(key: Command, context: CliContext): void {
  leaf(key, 'revoke', 'revoke an API key for good')
    .argument('<id>')
    .option(...orgOption)
    .action(async (id: string, options: { json?: boolean; org?: string }) => {
      await inOrganization(context, options, async (db, organizationId) => {
        const isRevoked =
          isId(id) &&
          (await inTransaction(db, async (tx) =>
            revokeApiKey(tx, { organizationId, id, now: await engineNow(tx) }),
          ));
        if (!isRevoked) throw new CliError('key_not_found', `the organization has no key ${id}`);
      });
      say(context, options, { id, revoked: true }, `key ${id} is revoked`);
    });
}
