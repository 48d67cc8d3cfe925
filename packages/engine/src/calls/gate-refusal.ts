import { dialingWindow, slotToleranceMs } from '@outdial/core';
import type { CampaignDefinition, GateView } from '@outdial/db';
import { numberBusyRetryMs, slotHorizonMs } from '../timing.ts';

/** Where the recipient of a claim goes when the claim is given back. */
export type ClaimGoesTo = { state: 'pending'; at: Date } | { state: 'suppressed' };

export type AfterRefusal = { reason: string } & (
  | { kind: 'return'; to: ClaimGoesTo }
  /** The campaign or the clock is not as it was read; or what stood in the way is gone. */
  | { kind: 'reload' }
  | { kind: 'wait'; waitMs: number }
  /** Its slot of time went by. */
  | { kind: 'new_slot' }
);

/** What to do with a claim whose gate did not open. Not now is not failure: no variant burns an attempt. */
export function decideAfterRefusal(definition: CampaignDefinition | null, view: GateView): AfterRefusal {
  const { now } = view;
  if (view.status !== 'running')
    return { kind: 'return', reason: 'not_running', to: { state: 'pending', at: now } };
  if (view.suppressed) return { kind: 'return', reason: 'suppressed', to: { state: 'suppressed' } };
  if (definition === null || definition.revision !== view.revision)
    return { kind: 'reload', reason: 'changed' };
  const window = dialingWindow(definition.schedule, view.timezone, now);
  if (window.kind !== 'open') {
    const at = window.kind === 'closed' ? window.opensAt : now;
    return { kind: 'return', reason: 'window_closed', to: { state: 'pending', at } };
  }
  if (view.leaseExpiresAt <= now)
    return { kind: 'return', reason: 'lease_expired', to: { state: 'pending', at: now } };
  if (view.slotAt !== null) {
    const early = view.slotAt.getTime() - now.getTime();
    if (early > 2 * slotHorizonMs) return { kind: 'new_slot', reason: 'slot_too_far' };
    // A timer may fire a millisecond early.
    if (early > 0) return { kind: 'wait', reason: 'slot_to_come', waitMs: early + 1 };
    if (early < -slotToleranceMs) return { kind: 'new_slot', reason: 'slot_missed' };
  }
  if (view.numberInCall) {
    const at = new Date(now.getTime() + numberBusyRetryMs);
    return { kind: 'return', reason: 'number_in_call', to: { state: 'pending', at } };
  }
  return { kind: 'reload', reason: 'changed' };
}
