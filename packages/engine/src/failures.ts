import { postgresCode, recordCampaignFailure } from '@outdial/db';
import type { ControlDeps } from './deps.ts';

const longestText = 300;
/** Long runs of digits may be phone numbers. */
const digits = /\d{6,}/g;
/** Characters that Postgres cannot store, or that must not reach a terminal. */
const controls = /[\p{Cc}\p{Cs}]/gu;

/** One line for operators without phone numbers. */
export function failureText(error: unknown): string {
  const code = postgresCode(error);
  const text =
    error instanceof Error ? `${error.name}${code && ` ${code}`}: ${error.message}` : String(error);
  return text.replace(controls, ' ').replace(digits, '…').slice(0, longestText);
}

/** Records a failed job of a campaign, whose `waiting_for` then is `error`. The delay before the next one grows with each failure. */
export async function campaignJobFailed(
  deps: ControlDeps,
  campaignId: string,
  error: unknown,
): Promise<void> {
  const failures = await recordCampaignFailure(deps.db, { campaignId, error: failureText(error) });
  deps.log.error({ campaign_id: campaignId, failures, err: error }, 'a job of the campaign failed');
}
