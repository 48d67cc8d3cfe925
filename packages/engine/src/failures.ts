import { inTransaction, postgresCode, recordCampaignFailure, returnClaims, engineNow } from '@outdial/db';
import type { ControlDeps } from './deps.ts';
import { enqueueLineWaiters } from './enqueue.ts';

const longestText = 300;
/** Runs of digits may be somebody's number. */
const digits = /\d{6,}/g;
/** What Postgres does not keep in a text, and a terminal should not get. */
const controls = /[\p{Cc}\p{Cs}]/gu;

/** An error in one line for operators, without numbers of people. */
export function failureText(error: unknown): string {
  const code = postgresCode(error);
  const text =
    error instanceof Error ? `${error.name}${code && ` ${code}`}: ${error.message}` : String(error);
  return text.replace(controls, ' ').replace(digits, '…').slice(0, longestText);
}

/** A job of a campaign failed: its next one waits longer each time, and the campaign says `error`. */
export async function campaignJobFailed(
  deps: ControlDeps,
  campaignId: string,
  error: unknown,
): Promise<void> {
  const failures = await recordCampaignFailure(deps.db, { campaignId, error: failureText(error) });
  deps.log.error({ campaign_id: campaignId, failures, err: error }, 'a job of the campaign failed');
}

/** A placement failed before its gate: the claim is given back, and its recipient waits longer each time. */
export async function claimFailed(
  deps: ControlDeps,
  claim: { organizationId: string; campaignId: string; recipientId: string; claimId: string },
  error: unknown,
): Promise<void> {
  const now = await engineNow(deps.db);
  const failure = failureText(error);
  const { returned, lineWaiters } = await inTransaction(deps.db, (tx) =>
    returnClaims(tx, [{ ...claim, next: { state: 'pending', at: now }, failure }], now),
  );
  if (returned === 0) return;
  await enqueueLineWaiters(deps, {
    ...lineWaiters,
    campaignIds: [...lineWaiters.campaignIds, claim.campaignId],
  });
}
