import { ConflictError } from '@outdial/core';
import {
  countCallsToday,
  countCampaignsAndRecipients,
  type Executor,
  lockQuota,
  type OrganizationLimits,
  type Tx,
} from '@outdial/db';

/** Defaults if the operator sets no limit. */
const defaultMaxCampaigns = 20_000;
const defaultMaxRecipients = 20_000_000;

function quotaExceeded(message: string): ConflictError {
  return new ConflictError('quota_exceeded', message);
}

/**
 * Checks the organization's limits of campaigns and recipients. Concurrent requests may exceed a limit together.
 * @throws ConflictError `quota_exceeded`
 */
export async function requireWithinLimits(
  tx: Tx,
  organizationId: string,
  limits: Pick<OrganizationLimits, 'max_campaigns' | 'max_recipients'>,
  more: { campaigns: number; recipients: number },
): Promise<void> {
  const maxCampaigns = limits.max_campaigns ?? defaultMaxCampaigns;
  const maxRecipients = limits.max_recipients ?? defaultMaxRecipients;
  const held = await countCampaignsAndRecipients(tx, organizationId);
  if (more.campaigns > 0 && held.campaigns + more.campaigns > maxCampaigns) {
    throw quotaExceeded(`The organization can have ${maxCampaigns} campaigns and has ${held.campaigns}`);
  }
  const recipients = held.recipients + more.recipients;
  if (recipients > maxRecipients) {
    throw quotaExceeded(
      `The organization can have ${maxRecipients} recipients in its campaigns and would have ${recipients}`,
    );
  }
}

type QuotaOfDay = Pick<OrganizationLimits, 'max_calls_per_day' | 'max_spend_per_day'>;

/** Checks that the organization may make another call today. Counts calls only if a limit is set. @throws ConflictError `quota_exceeded` */
export async function requireCallsLeft(tx: Tx, organizationId: string, limits: QuotaOfDay): Promise<void> {
  if (!hasQuotaOfDay(limits)) return;
  await lockQuota(tx, organizationId);
  const fault = faultOfDay(limits, await countCallsToday(tx, organizationId));
  if (fault !== null) throw quotaExceeded(fault);
}

/** Whether the organization may make another call today. Takes no lock, so it only sees committed calls. */
export async function hasCallsLeft(
  db: Executor,
  organizationId: string,
  limits: QuotaOfDay,
): Promise<boolean> {
  return !hasQuotaOfDay(limits) || faultOfDay(limits, await countCallsToday(db, organizationId)) === null;
}

const hasQuotaOfDay = ({ max_calls_per_day: maxCalls, max_spend_per_day: maxSpend }: QuotaOfDay): boolean =>
  maxCalls !== null || maxSpend !== null;

function faultOfDay(
  { max_calls_per_day: maxCalls, max_spend_per_day: maxSpend }: QuotaOfDay,
  today: { calls: number; spend: number },
): string | null {
  if (maxCalls !== null && today.calls >= maxCalls) {
    return `The organization can make ${maxCalls} calls per day, and has reached that limit`;
  }
  if (maxSpend !== null && today.spend >= maxSpend) {
    return `The organization can spend ${maxSpend} per day on calls, and has reached that limit`;
  }
  return null;
}
