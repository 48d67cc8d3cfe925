import { organizationShare, type OrganizationLines } from './organization-share.ts';

/** What bounds the lines of a resource that several campaigns share. */
export interface SharedLines {
  inUse: number;
  /** Null: no cap. */
  max: number | null;
  /** Single calls that wait for a line; they go before campaigns. */
  queuedCalls: number;
  /** Other running campaigns that wait for a line here, of the same priority or a higher one. */
  rivals: number;
  /** Those of them that come before this one: a higher priority, or served less recently. */
  ahead?: number;
  /** Of a provider: how its organization stands there, and the others that wait for lines. Queued calls and rivals are its own then. */
  organizations?: { own: OrganizationLines; others: readonly OrganizationLines[] };
}

export type WaitingForLine = 'campaign_line' | 'organization_line' | 'provider_line';

export interface LineAllowance {
  take: number;
  /** The tightest limit where less was taken than wanted; the nearest to the campaign where several are equally tight. */
  waitingFor: WaitingForLine | null;
}

/** How many lines a campaign may take now. */
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

/** An equal share, rounded up so that no free line is left idle between rivals, and no more than those ahead leave. */
function fairShare(lines: SharedLines): number {
  if (lines.max === null) return Number.POSITIVE_INFINITY;
  const { organizations } = lines;
  const unused = lines.max - lines.inUse;
  const own = organizations ? organizationShare(organizations.own, organizations.others, unused) : unused;
  const free = Math.max(0, own - lines.queuedCalls);
  const share = Math.ceil(free / (lines.rivals + 1));
  return Math.min(share, Math.max(0, free - share * (lines.ahead ?? 0)));
}
