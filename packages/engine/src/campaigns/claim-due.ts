import { dialingWindow, lineAllowance, nextDial, slowedLines, type ZoneDue } from '@outdial/core';
import {
  claimDueRecipients,
  findEarliestDueByZone,
  lockCallerIdPool,
  readCallsLeft,
  callsLeftOf,
  saveNextSlots,
  scrubsValidUntil,
  takeCallerIds,
  type AdvanceView,
  type CallerIdPool,
  type Capacity,
  type Claim,
  type ClaimOfPerson,
  type Tx,
} from '@outdial/db';
import { callerIdRetryMs, scrubRetryMs } from '../timing.ts';
import { isBroken } from '../provider-health/circuit-breaker.ts';
import type { DialingSettings, MediaRuntimes } from '../deps.ts';
import { allotPaces, type PaceRequest } from '../pacing/pace.ts';
import { shareSlots } from '../pacing/share-slots.ts';
import { capacityFor, wakeLineWaitersForRest, wakeLineWaiters } from './shared-lines.ts';
import { claimsAtOnce, moved, type Step } from './advance-step.ts';

const lockedElsewhereRetryMs = 100;
/** When to look again after a probe of a failing provider, unless it recovers earlier. */
const probeRetryMs = 1_000;
/** When to look again if the last calls of the quota are claimed but have not passed their gates. */
const quotaRetryMs = 5_000;

/** When to look again if a manager may have changed the agent. */
const instructionsRetryMs = 10_000;
/** When to look again for capacity on a media server. */
const mediaRetryMs = 2_000;

export interface ClaimDeps {
  settings: Pick<DialingSettings, 'leaseSeconds'>;
  mediaRuntimes?: Pick<MediaRuntimes, 'freeCapacity'>;
}

/** Claims due recipients within the limits of lines, pace, quota, caller ids and the provider's health, and plans the next step. */
export async function claimDue(tx: Tx, deps: ClaimDeps, view: AdvanceView): Promise<Step> {
  const { now, definition } = view;
  const capacity = await capacityFor(tx, view);
  const wait = async (waitingFor: string, wakeAt: Date, nextDialAt = wakeAt) => {
    const lineWaiters = await wakeLineWaiters(tx, view, capacity);
    return moved(tx, view, { wakeAt, nextDialAt, waitingFor }, { lineWaiters });
  };
  if (!view.allowsInstructions) {
    // A change of the operator's rules wakes the campaign.
    return wait('voice_not_allowed', new Date(now.getTime() + instructionsRetryMs));
  }
  const { closedUntil } = capacity.provider;
  if (closedUntil !== null && closedUntil > now) return wait('provider', closedUntil);
  const quota = view.isLimitedByDay ? await readCallsLeft(tx, definition.organizationId) : null;
  if (quota !== null && quota.left - quota.claimed <= 0) {
    // Gates may refuse some claims, which returns calls to the quota.
    return wait('quota', quota.left > 0 ? new Date(now.getTime() + quotaRetryMs) : quota.dayEndsAt);
  }
  const { scrubLists: names, organizationId } = definition;
  const scrubbedUntil = names === null ? null : await scrubsValidUntil(tx, { organizationId, names });
  if (names !== null && (scrubbedUntil === null || scrubbedUntil <= now)) {
    // An import wakes the campaign.
    return wait('scrub_list', new Date(now.getTime() + scrubRetryMs));
  }
  const pool = view.hasCallerIds
    ? await lockCallerIdPool(tx, definition.organizationId, { atLeast: claimsAtOnce })
    : null;
  const callerIds = pool === null ? null : callsLeftOf(pool);
  if (callerIds?.calls === 0) {
    // Unused permits of other campaigns wake no campaign, so this one looks again before the next day.
    const lookAt = new Date(now.getTime() + callerIdRetryMs);
    const freeAt = callerIds.freeAt ?? lookAt;
    return wait('caller_id', freeAt < lookAt ? freeAt : lookAt, freeAt);
  }
  const mediaCapacity = (await deps.mediaRuntimes?.freeCapacity(tx, definition)) ?? null;
  if (mediaCapacity === 0) return wait('media_runtime', new Date(now.getTime() + mediaRetryMs));
  const atMost = Math.min(
    claimsAtOnce,
    mediaCapacity ?? claimsAtOnce,
    quota === null ? claimsAtOnce : quota.left - quota.claimed,
    callerIds?.calls ?? claimsAtOnce,
  );
  // A failing provider only gets probes.
  const probes = isBroken(capacity.provider);
  const lines = slowedLines(definition.maxConcurrentCalls, view.abandonment);
  const isSlowed = lines < definition.maxConcurrentCalls;
  const allowance = lineAllowance({
    want: probes ? 1 : atMost,
    campaign: { inUse: view.linesInUse, max: lines },
    organization: capacity.organization,
    provider: capacity.provider,
  });
  const shared =
    allowance.take === 0 ? null : await shareSlots(tx, slotsOf(view), paceOf(view, capacity, allowance.take));
  const pace = shared?.allotment ?? null;
  const limit = pace === null ? allowance.take : pace.slots.length;
  const { claims, earliestDueByZone } = await claim(tx, deps, view, {
    limit,
    slots: pace === null ? null : pace.slots,
    withPeople: pool !== null,
  });
  await shared?.take(tx, claims.length);
  if (pool !== null) await takeForClaims(tx, definition.organizationId, pool, claims);
  if (pace !== null && claims.length > 0) {
    // The next slots begin after the last used one, so that unused slots are not lost.
    const used = allotPaces(paceOf(view, capacity, claims.length));
    if (used !== null) {
      await saveNextSlots(tx, { campaignId: definition.id, provider: view.provider, ...used.next });
    }
  }
  if (probes && limit > 0) {
    const at = new Date(now.getTime() + probeRetryMs);
    return moved(tx, view, { wakeAt: at, nextDialAt: at, waitingFor: 'provider' }, { claims });
  }
  return planAfter(tx, view, capacity, {
    claims,
    earliestDueByZone,
    full: claims.length === limit,
    waitingFor: isSlowed && allowance.waitingFor === 'campaign_line' ? 'abandonment' : allowance.waitingFor,
    wait: waitAfter(now, { mediaCapacity, claimed: claims.length, paceWaitUntil: pace?.waitUntil ?? null }),
  });
}

interface Wait {
  at: Date;
  for: 'calls_per_second' | 'media_runtime';
}

/** Media servers count a call once it is placed, so their remaining capacity is known shortly after these claims. */
function waitAfter(
  now: Date,
  done: { mediaCapacity: number | null; claimed: number; paceWaitUntil: Date | null },
): Wait | null {
  if (done.mediaCapacity !== null && done.claimed >= done.mediaCapacity) {
    return { at: new Date(now.getTime() + mediaRetryMs), for: 'media_runtime' };
  }
  return done.paceWaitUntil === null ? null : { at: done.paceWaitUntil, for: 'calls_per_second' };
}

/** Claims due recipients and reads the remaining due times in one round trip. */
async function claim(
  tx: Tx,
  deps: ClaimDeps,
  view: AdvanceView,
  { limit, slots, withPeople }: { limit: number; slots: Date[] | null; withPeople: boolean },
): Promise<{ claims: ClaimOfPerson[]; earliestDueByZone: ZoneDue[] }> {
  const { now, definition, provider } = view;
  if (limit === 0) return { claims: [], earliestDueByZone: view.earliestDueByZone };
  const { claims } = await claimDueRecipients(tx, {
    organizationId: definition.organizationId,
    campaignId: definition.id,
    provider,
    zones: openZones(view),
    now,
    limit,
    leaseExpiresAt: new Date(now.getTime() + deps.settings.leaseSeconds * 1000),
    slots,
    withPeople,
  });
  const earliestDueByZone = await findEarliestDueByZone(tx, definition);
  return { claims: await claims, earliestDueByZone };
}

/** Takes permits for claims. The gate refuses a claim without a permit as `no_caller_id`. */
async function takeForClaims(
  tx: Tx,
  organizationId: string,
  pool: CallerIdPool,
  claims: readonly ClaimOfPerson[],
): Promise<void> {
  const people = claims.flatMap(({ claimId, person }) => (person === null ? [] : [{ claimId, person }]));
  if (people.length > 0) await takeCallerIds(tx, { organizationId, pool, claims: people });
}

async function planAfter(
  tx: Tx,
  view: AdvanceView,
  capacity: Capacity,
  done: {
    claims: Claim[];
    earliestDueByZone: ZoneDue[];
    full: boolean;
    waitingFor: string | null;
    /** Until when no more can be claimed, and why. */
    wait: Wait | null;
  },
): Promise<Step> {
  const { now, definition } = view;
  const { claims } = done;
  const left = nextDial(definition.schedule, done.earliestDueByZone, now);
  if (left.kind === 'never' || left.at > now) {
    const plan =
      left.kind === 'at'
        ? { wakeAt: left.at, nextDialAt: left.at, waitingFor: left.waitingFor }
        : { wakeAt: null, nextDialAt: null, waitingFor: 'calls_in_progress' };
    return moved(tx, view, plan, {
      claims,
      lineWaiters: await wakeLineWaitersForRest(tx, view, capacity, claims.length),
    });
  }
  if (done.full && done.wait !== null) {
    const { at, for: waitingFor } = done.wait;
    return moved(tx, view, { wakeAt: at, nextDialAt: at, waitingFor }, { claims });
  }
  if (done.full && done.waitingFor !== null) {
    // If free lines belong to another organization, wake it.
    const lineWaiters = await wakeLineWaitersForRest(tx, view, capacity, claims.length);
    return moved(
      tx,
      view,
      { wakeAt: null, nextDialAt: now, waitingFor: done.waitingFor },
      { claims, lineWaiters },
    );
  }
  // Either the batch was full, or another transaction holds the due rows for a moment.
  const more = claims.length > 0;
  const wakeAt = more ? now : new Date(now.getTime() + lockedElsewhereRetryMs);
  return moved(tx, view, { wakeAt, nextDialAt: now, waitingFor: null }, { claims, more });
}

function openZones(view: AdvanceView): string[] {
  return view.earliestDueByZone
    .filter((due) => due.dueAt <= view.now)
    .map((due) => due.zone)
    .filter((zone) => dialingWindow(view.definition.schedule, zone, view.now).kind === 'open');
}

function slotsOf({ definition, provider }: AdvanceView) {
  return { organizationId: definition.organizationId, provider, asks: 'campaign' as const };
}

function paceOf(view: AdvanceView, capacity: Capacity, want: number): PaceRequest {
  return {
    // Not the view's instant, because other transactions moved the provider's next slot while we waited for its row.
    now: capacity.now,
    want,
    campaign: { callsPerSecond: view.definition.callsPerSecond, nextSlotAt: view.nextSlotAt },
    provider: capacity.provider,
  };
}
