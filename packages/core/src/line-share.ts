import { organizationShare, type OrganizationLines } from './organization-share.ts';

/** The limits of a resource whose lines several campaigns share. */
export interface SharedLines {
  inUse: number;
  /** Null: no cap. */
  max: number | null;
  /** Direct calls that wait for a line; they take precedence over campaigns. */
  queuedCalls: number;
  /** Other running campaigns that wait for a line here, with the same priority or a higher one. */
  rivals: number;
  /** The rivals that are served before this campaign, because they have a higher priority or were served less recently. */
  ahead?: number;
  /** For a provider: the account of this organization there, and the others that wait for lines. Queued calls and rivals are then this organization's own. */
  organizations?: { own: OrganizationLines; others: readonly OrganizationLines[] };
}

export type WaitingForLine = 'campaign_line' | 'organization_line' | 'provider_line';

export interface LineAllowance {
  take: number;
  /** The tightest limit if less was taken than wanted; if several are equally tight, the one nearest to the campaign. */
  waitingFor: WaitingForLine | null;
}

/** Decides how many lines a campaign may take now. */
export function lineAllowance(args: {
  want: number;
  campaign: { inUse: number; max: number };
  organization: SharedLines;
  provider: SharedLines;
}): LineAllowance {
  const limits: ReadonlyArray<[WaitingForLine, number]> = [
    ['campaign_line', Math.max(0, args.campaign.max - args.campaign.inUse)],
    ['organization_line', fairShare(args.organization)],
    ['provider_line', fairShare(args.provider)],
  ];
  let take = Math.max(0, args.want);
  let waitingFor: WaitingForLine | null = null;
  for (const [limit, lines] of limits) {
    if (lines >= take) continue;
    take = lines;
    waitingFor = limit;
  }
  return { take, waitingFor };
}

/** An equal share, rounded up so that rivals leave no free line idle, and at most what the campaigns ahead leave. */
function fairShare(lines: SharedLines): number {
  if (lines.max === null) return Number.POSITIVE_INFINITY;
  const { organizations } = lines;
  const unused = lines.max - lines.inUse;
  const own = organizations ? organizationShare(organizations.own, organizations.others, unused) : unused;
  const free = Math.max(0, own - lines.queuedCalls);
  const share = Math.ceil(free / (lines.rivals + 1));
  return Math.min(share, Math.max(0, free - share * (lines.ahead ?? 0)));
}
