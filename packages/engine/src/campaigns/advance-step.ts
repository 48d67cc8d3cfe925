import {
  noLineWaiters,
  savePlan,
  takeSharedLines,
  type AdvanceView,
  type CampaignPlan,
  type Claim,
  type LineWaiters,
  type Tx,
} from '@outdial/db';

/** The most claims of one transaction, so that its locks are short. */
export const claimsAtOnce = 500;

/** The result of one transaction of an advance. */
export type Step =
  | { kind: 'idle' }
  | { kind: 'finish'; organizationId: string }
  | {
      kind: 'moved';
      organizationId: string;
      claims: Claim[];
      lineWaiters: LineWaiters;
      /** Whether there is more to claim at once. */
      more: boolean;
      wakeInMs: number | null;
    };

/** Saves the plan and returns it as a step. */
export async function moved(
  tx: Tx,
  view: AdvanceView,
  plan: CampaignPlan,
  done: { claims?: Claim[]; lineWaiters?: LineWaiters; more?: boolean } = {},
): Promise<Step> {
  const wakeAt = plan.wakeAt === null ? null : earlier(plan.wakeAt, view.definition.schedule.endAt);
  const { organizationId } = view.definition;
  const claims = done.claims ?? [];
  if (claims.length > 0) {
    await takeSharedLines(tx, {
      organizationId,
      provider: view.provider,
      capacity: view.capacity,
      count: claims.length,
    });
  }
  await savePlan(tx, view.definition.id, { ...plan, wakeAt: wakeAt ?? view.definition.schedule.endAt });
  return {
    kind: 'moved',
    organizationId,
    claims,
    lineWaiters: done.lineWaiters ?? noLineWaiters,
    more: done.more ?? false,
    wakeInMs: wakeAt === null ? null : wakeAt.getTime() - view.now.getTime(),
  };
}

function earlier(at: Date, other: Date | null): Date {
  return other !== null && other < at ? other : at;
}
