import type { WaitingReason } from '@outdial/core';
import { sql } from 'kysely';
import type { Executor } from './transaction.ts';

/**
 * Bumps the revisions of an organization's running campaigns, so that their gates read its changed settings. Waits for open gates. Comes before
 * the organization's row, because campaigns are locked first.
 */
export async function bumpRunningCampaigns(db: Executor, organizationId: string): Promise<void> {
  await sql`
    update campaigns set revision = revision + 1 where id in (
      select id from campaigns where organization_id = ${organizationId} and status = 'running'
      order by id for no key update)`.execute(db);
}

/** Wakes campaigns that wait for the quota of the day. */
export async function wakeForQuota(db: Executor, organizationId: string, now: Date): Promise<void> {
  await wake(db, organizationId, 'quota', now);
}

/** Wakes campaigns whose agents have instructions for answered calls that the operator has not allowed. */
export async function wakeForInstructions(db: Executor, organizationId: string, now: Date): Promise<void> {
  await wake(db, organizationId, 'voice_not_allowed', now);
}

async function wake(
  db: Executor,
  organizationId: string,
  waitingFor: WaitingReason,
  now: Date,
): Promise<void> {
  await sql`
    update campaign_runtime set wake_at = ${now}
    where organization_id = ${organizationId} and waiting_for = ${waitingFor}`.execute(db);
}
