import { createSignInLink, inTransaction } from '@outdial/db';
import type { Command } from 'commander';
import { findOrganization, findUser } from '../find-named.ts';
import { environmentOf, withDatabase } from '../open-database.ts';
import { leaf, orgOption, wholeNumberOf } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface Options {
  json?: boolean;
  org?: string;
  expiresInMinutes: number;
}

/** The default address of the api on this machine, unless PUBLIC_URL is set. */
const localUrl = 'http://localhost:3000';

/** `outdial user link`: signs a user in at the console, once. */
export function addUserLink(user: Command, context: CliContext): void {
  leaf(user, 'link', 'create a link that signs a user in to the console once; shown only once')
    .argument('<id or email>')
    .option(...orgOption)
    .option('--expires-in-minutes <minutes>', 'how long it is valid', wholeNumberOf('minutes', 5), 60)
    .action(async (named: string, options: Options) => {
      const now = context.now();
      const expiresAt = new Date(now.getTime() + options.expiresInMinutes * 60_000);
      const { token, email } = await withDatabase(context, async (db) => {
        const { id: organizationId } = await findOrganization(db, options.org);
        const found = await findUser(db, organizationId, named);
        const made = await inTransaction(db, (tx) =>
          createSignInLink(tx, { organizationId, userId: found.id, madeBy: null, now, expiresAt }),
        );
        return { token: made, email: found.email };
      });
      // Behind the #, so that no server and no log on the way sees it.
      const link = `${baseUrl(context)}/console/sign-in#link=${token}`;
      say(context, options, { link, email, expires_at: expiresAt.toISOString() }, [
        `link for ${email}, valid once, until ${expiresAt.toISOString()}, shown only once:`,
        link,
      ]);
    });
}

function baseUrl(context: CliContext): string {
  const set = environmentOf(context)['PUBLIC_URL'];
  return (set === undefined || set.trim() === '' ? localUrl : set.trim()).replace(/\/+$/, '');
}
