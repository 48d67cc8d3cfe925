import type { AdvanceView, CampaignPlan, PlanToSave } from '@outdial/db';
import type { GatedCall } from '../send/gated-call.ts';

/** The most dials of one transaction: so many people a crash before their sends may leave without a known outcome. */
export const dialsAtOnce = 100;

export type Step =
  | { kind: 'idle' }
  | { kind: 'finish'; organizationId: string }
  /** A person whose data could not be stored waits for operators. */
  | { kind: 'set_aside' }
  /** It cannot be advanced together with others now. */
  | { kind: 'alone' }
  | {
      kind: 'moved';
      provider: string;
      /** Committed calls, to be sent at once. */
      calls: GatedCall[];
      /** Whether there is more to dial at once. */
      more: boolean;
      wakeInMs: number | null;
      /** Whether it waits for the calls per second of its provider, which other campaigns may want too. */
      isPaced: boolean;
    };

export interface Planned {
  view: AdvanceView;
  /** Null if its last plan stays. */
  plan: CampaignPlan | null;
  calls?: GatedCall[];
  more?: boolean;
  isPaced?: boolean;
  /** Whether others may use the lines that it leaves. */
  passesOn?: boolean;
}

/** The step of a campaign, and its plan for `savePlans`. */
export function toStep({ view, plan, ...done }: Planned): { step: Step; row: PlanToSave | null } {
  const { id, schedule } = view.definition;
  const calls = done.calls ?? [];
  const wakeAt = plan === null || plan.wakeAt === null ? null : earlier(plan.wakeAt, schedule.endAt);
  const step: Step = {
    kind: 'moved',
    provider: view.provider,
    calls,
    more: done.more ?? false,
    isPaced: done.isPaced ?? false,
    wakeInMs: wakeAt === null ? null : wakeAt.getTime() - view.now.getTime(),
  };
  const row = plan && { ...plan, wakeAt: wakeAt ?? schedule.endAt, campaignId: id, dialed: calls.length };
  return { step, row };
}

function earlier(at: Date, other: Date | null): Date {
  return other !== null && other < at ? other : at;
}
