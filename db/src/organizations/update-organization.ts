import type { Executor } from '../transaction.ts';

/** What may be set; a field that is not named stays as it is. */
export interface OrganizationChange {
  name?: string;
  timezone?: string;
  defaultProvider?: string | null;
  /** Calls in progress at most; null sets no cap. One that is lowered below what is in use lets calls end first. */
  maxLines?: number | null;
}

/** Gives whether there is such an organization. */
export async function updateOrganization(
  db: Executor,
  organizationId: string,
  change: OrganizationChange,
  now: Date,
): Promise<boolean> {
  const { name, timezone, defaultProvider, maxLines } = change;
  const result = await db
    .updateTable('organizations')
    .set({
      updated_at: now,
      ...(name === undefined ? {} : { name }),
      ...(timezone === undefined ? {} : { timezone }),
      ...(defaultProvider === undefined ? {} : { default_provider: defaultProvider }),
      ...(maxLines === undefined ? {} : { max_lines: maxLines }),
    })
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
