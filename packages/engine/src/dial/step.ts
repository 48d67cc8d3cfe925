import {
  noLineWaiters,
  savePlan,
  type AdvanceView,
  type CampaignPlan,
  type LineWaiters,
  type Tx,
} from '@outdial/db';
import type { GatedCall } from '../send/gated-call.ts';

/** The most dials of one transaction: so many people a crash before their sends may leave without a known outcome. */
export const dialsAtOnce = 100;

/** The result of one transaction of an advance. */
export type Step =
  | { kind: 'idle' }
  | { kind: 'finish'; organizationId: string }
  /** A person whose data could not be stored waits for operators. */
  | { kind: 'set_aside' }
  | {
      kind: 'moved';
      provider: string;
      /** Committed calls, to be sent at once. */
      calls: GatedCall[];
      lineWaiters: LineWaiters;
      /** Whether there is more to dial at once. */
      more: boolean;
      wakeInMs: number | null;
      /** Whether it waits for the calls per second of its provider, which other campaigns may want too. */
      isPaced: boolean;
    };

/** Saves the plan and returns it as a step. */
export async function moved(
  tx: Tx,
  view: AdvanceView,
  plan: CampaignPlan,
  done: { calls?: GatedCall[]; lineWaiters?: LineWaiters; more?: boolean; isPaced?: boolean } = {},
): Promise<Step> {
  const { id, schedule } = view.definition;
  const { now } = view;
  const calls = done.calls ?? [];
  const wakeAt = plan.wakeAt === null ? null : earlier(plan.wakeAt, schedule.endAt);
  await savePlan(tx, id, { ...plan, wakeAt: wakeAt ?? schedule.endAt }, { dialed: calls.length, now });
  return {
    kind: 'moved',
    provider: view.provider,
    calls,
    lineWaiters: done.lineWaiters ?? noLineWaiters,
    more: done.more ?? false,
    isPaced: done.isPaced ?? false,
    wakeInMs: wakeAt === null ? null : wakeAt.getTime() - now.getTime(),
  };
}

function earlier(at: Date, other: Date | null): Date {
  return other !== null && other < at ? other : at;
}
