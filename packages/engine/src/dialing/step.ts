import {
  keepPlan,
  takeSharedLines,
  type AdvanceView,
  type CampaignPlan,
  type Claim,
  type LineHeirs,
  type Tx,
} from '@outdial/db';

/** One transaction claims no more than this, so that its locks are short. */
export const claimsAtOnce = 500;

/** What one transaction of an advance has made of its campaign. */
export type Step =
  | { kind: 'idle' }
  | { kind: 'finish' }
  | {
      kind: 'moved';
      organizationId: string;
      claims: Claim[];
      heirs: LineHeirs;
      /** Run again at once: there is more to claim. */
      more: boolean;
      wakeInMs: number | null;
    };

export const nobody: LineHeirs = { campaignIds: [], queuedCallIds: [] };

/** Writes the plan, and makes a step of it. */
export async function moved(
  tx: Tx,
  view: AdvanceView,
  plan: CampaignPlan,
  done: { claims?: Claim[]; heirs?: LineHeirs; more?: boolean } = {},
): Promise<Step> {
  const wakeAt = plan.wakeAt === null ? null : earlier(plan.wakeAt, view.definition.schedule.endAt);
  const { organizationId } = view.definition;
  const claims = done.claims ?? [];
  if (claims.length > 0)
    await takeSharedLines(tx, {
      organizationId,
      provider: view.provider,
      capacity: view.capacity,
      count: claims.length,
    });
  await keepPlan(tx, view.definition.id, { ...plan, wakeAt: wakeAt ?? view.definition.schedule.endAt });
  return {
    kind: 'moved',
    organizationId,
    claims,
    heirs: done.heirs ?? nobody,
    more: done.more ?? false,
    wakeInMs: wakeAt === null ? null : wakeAt.getTime() - view.now.getTime(),
  };
}

function earlier(at: Date, other: Date | null): Date {
  return other !== null && other < at ? other : at;
}
