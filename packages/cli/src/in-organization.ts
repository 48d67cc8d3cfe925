import type { Db } from '@outdial/db';
import type { CliContext } from './cli-context.ts';
import { findOrganization } from './find-named.ts';
import { withDatabase } from './open-database.ts';

/** Runs `work` on the database and the organization that `--org` names, or the only one there is. */
export async function inOrganization<T>(
  context: CliContext,
  options: { org?: string },
  work: (db: Db, organizationId: string) => Promise<T>,
): Promise<T> {
  return withDatabase(context, async (db) => work(db, (await findOrganization(db, options.org)).id));
}

/** Whether an argument can be an id: any other text would be an error of the database. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
