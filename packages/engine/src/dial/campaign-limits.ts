import type { WaitingReason } from '@outdial/core';
import {
  isLimited,
  readCallsLeft,
  scrubsValidUntil,
  type AdvanceView,
  type Capacity,
  type Tx,
} from '@outdial/db';
import type { MediaRuntimes } from '../deps.ts';
import { isBroken } from '../provider-health/circuit-breaker.ts';
import { mediaRetryMs, scrubRetryMs } from '../timing.ts';
import { dialsAtOnce } from './step.ts';

/** When to look again if a manager may have changed the agent. */
const instructionsRetryMs = 10_000;
/** When to look again whether rules fit, since another process may have put an earlier release in place. */
const rulesRetryMs = 30_000;

/** Why a campaign dials nobody now, and when to look again. */
export interface Wait {
  for: WaitingReason;
  at: Date;
}

export interface CampaignLimits {
  /** Set if none may be dialed, whatever lines are free. */
  wait: Wait | null;
  /** How many may be dialed in one transaction, by the quota and the media servers. */
  atMost: number;
  /** The free capacity of media servers; null if the calls need none. */
  mediaCapacity: number | null;
}

/** What a campaign may dial, as far as can be read without locks. */
export interface Wanted {
  view: AdvanceView;
  limits: CampaignLimits;
  limit: number;
}

export type ReadLimits = (view: AdvanceView) => Promise<CampaignLimits>;

/**
 * Reads the limits of an organization's campaigns apart from lines, pace and caller ids, and what they share only once. Under the locks of an advance, only
 * the provider's circuit and a pause for a fault of the agent can still change.
 */
export function limitsReader(
  tx: Tx,
  deps: { mediaRuntimes?: Pick<MediaRuntimes, 'freeCapacity'> },
  organizationId: string,
): ReadLimits {
  const callsLeft = once(() => readCallsLeft(tx, organizationId));
  const scrubbedUntil = once((names: readonly string[]) => scrubsValidUntil(tx, { organizationId, names }));
  const capacityOf = once(
    async (agentId: string) =>
      (await deps.mediaRuntimes?.freeCapacity(tx, { organizationId, agentId })) ?? null,
  );
  return async (view) => {
    const { now, definition } = view;
    const nothing = (reason: WaitingReason, at: Date): CampaignLimits => ({
      wait: { for: reason, at },
      atMost: 0,
      mediaCapacity: null,
    });
    // An import wakes the campaign.
    if (view.rulesFault !== null) return nothing('rules', after(now, rulesRetryMs));
    // A change of the operator's limits wakes the campaign.
    if (!view.allowsInstructions) return nothing('voice_not_allowed', after(now, instructionsRetryMs));
    if (isPausedAt(view, now)) return nothing('provider', view.paused_until);
    const closedUntil = closedAt(view.capacity, now);
    if (closedUntil !== null) return nothing('provider', closedUntil);
    const quota = view.is_limited_by_day ? await callsLeft('') : null;
    if (quota?.left === 0) return nothing('quota', quota.dayEndsAt);
    const { scrubLists: names, agentId } = definition;
    const scrubbed = names === null ? null : await scrubbedUntil(names);
    if (names !== null && (scrubbed === null || scrubbed <= now)) {
      // An import wakes the campaign.
      return nothing('scrub_list', after(now, scrubRetryMs));
    }
    const mediaCapacity = await capacityOf(agentId);
    if (mediaCapacity === 0) return nothing('media_runtime', after(now, mediaRetryMs));
    const limits = [probes(view) ? 1 : dialsAtOnce, mediaCapacity ?? dialsAtOnce, quota?.left ?? dialsAtOnce];
    return { wait: null, atMost: Math.min(...limits), mediaCapacity };
  };
}

function once<Key, Result>(read: (key: Key) => Promise<Result>): (key: Key) => Promise<Result> {
  const results = new Map<string, Promise<Result>>();
  return (key) => {
    const name = JSON.stringify(key);
    const result = results.get(name) ?? read(key);
    results.set(name, result);
    return result;
  };
}

type Paused = Pick<AdvanceView, 'paused_until'>;

/** Whether one call at a time tries a provider that fails, or that refused the campaign's agent. */
export function probes(campaign: Pick<AdvanceView, 'capacity'> & Paused): boolean {
  return isBroken(campaign.capacity.provider) || campaign.paused_until !== null;
}

/** Whether the campaign waits because the provider refused the calls of its agent. */
export function isPausedAt<T extends Paused>(campaign: T, now: Date): campaign is T & { paused_until: Date } {
  return campaign.paused_until !== null && campaign.paused_until > now;
}

/** Until when the provider is closed; null if it is open. */
export function closedAt({ provider }: Capacity, now: Date): Date | null {
  return provider.closedUntil !== null && provider.closedUntil > now ? provider.closedUntil : null;
}

/** Lines that come free until the rows are locked. */
const freedMeanwhile = 4;

/** The free lines as far as they can be read without locks: enough to choose people, and never to plan. */
export function linesToTry({ lines_in_use: own, definition, capacity }: AdvanceView, atMost: number): number {
  const free = definition.maxConcurrentCalls - own;
  if (!isLimited(capacity)) return Math.min(atMost, free);
  const ofShared = [capacity.organization, capacity.provider].map(({ max, inUse }) =>
    max === null ? atMost : max - inUse,
  );
  const lines = Math.min(atMost, free, ...ofShared);
  return lines <= 0 ? 0 : Math.min(atMost, free, lines + freedMeanwhile);
}

export function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
