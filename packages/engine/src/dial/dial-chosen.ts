import { countGates, paceAllowance, type PacingLane } from '@outdial/core';
import {
  callsLeftOf,
  findEarliestDueByZone,
  isLimited,
  lanesOf,
  lockCallerIdPool,
  savePace,
  takeSharedLines,
  toLane,
  type CallerIdPool,
  type CampaignPlan,
  type ChosenRecipient,
  type DialRoom,
  type RoomOfCampaign,
  type Tx,
} from '@outdial/db';
import { isBroken } from '../provider-health/circuit-breaker.ts';
import { callerIdRetryMs } from '../timing.ts';
import { after, closedAt, isPausedAt, probes, type Wait, type Wanted } from './campaign-limits.ts';
import { passDue, type DialDueDeps } from './pass-due.ts';
import { linesFor, pacedLanes, planAfterDial, planAt, type Allowed } from './plans.ts';
import { afterOthers, wasWokenForLine } from './shared-lines.ts';
import { dialsAtOnce, type Planned } from './step.ts';

/** Dials recipients that are locked, as many of them as the rows allow that are locked last. */
export async function dialChosen(
  tx: Tx,
  deps: DialDueDeps,
  args: {
    room: DialRoom;
    dialing: readonly Wanted[];
    chosen: ReadonlyMap<string, readonly ChosenRecipient[]>;
  },
): Promise<{ planned: Planned[]; taken: number }> {
  const { room, chosen } = args;
  const { now } = room;
  // Since they were read without a lock, the provider refused calls of their agents.
  const paused = args.dialing.flatMap(({ view }): Planned[] => {
    const one = room.campaigns.get(view.definition.id);
    if (one === undefined || !isPausedAt(one, now)) return [];
    return [{ view, plan: planAt('provider', one.paused_until), passesOn: wasWokenForLine(view) }];
  });
  const dialing = args.dialing.filter(({ view }) => paused.every((one) => one.view !== view));
  const [first] = inOrderOfTurns(dialing, room);
  if (first === undefined) return { planned: paused, taken: 0 };
  const { provider, definition, has_caller_ids: hasCallerIds } = first.wanted.view;
  const { organizationId } = definition;
  // Since it was read without a lock, the provider began to fail. It gets one probe, of one campaign.
  if (dialing.length > 1 && isBroken(first.room.capacity.provider)) return { planned: paused, taken: 0 };
  const closedUntil = closedAt(first.room.capacity, now);
  const waiting = (plan: CampaignPlan): Planned[] => [
    ...paused,
    ...dialing.map(({ view }) => ({ view, plan, passesOn: wasWokenForLine(view) })),
  ];
  if (closedUntil !== null) return { planned: waiting(planAt('provider', closedUntil)), taken: 0 };
  const pool = hasCallerIds ? await lockCallerIdPool(tx, organizationId, { atLeast: dialsAtOnce }) : null;
  const rested = pool === null ? null : restOf(pool, now);
  if (rested !== null) {
    const plan = { wakeAt: rested.at, nextDialAt: rested.freeAt, waitingFor: rested.for };
    return { planned: waiting(plan), taken: 0 };
  }
  const allowed = allow({
    room,
    dialing,
    chosen,
    atMost: pool === null ? dialsAtOnce : callsLeftOf(pool).calls,
  });
  const { calls, at } = await passDue(
    tx,
    deps,
    allowed.map((one) => ({ ...one, pool })),
    now,
  );
  const countOf = ({ view }: Allowed) => calls.get(view.definition.id)?.length ?? 0;
  const taken = allowed.reduce((sum, one) => sum + countOf(one), 0);
  if (taken > 0) {
    const { capacity } = first.room;
    await takeSharedLines(tx, { organizationId, provider, capacity, count: taken });
    for (const one of allowed) {
      const rows = { campaignId: one.view.definition.id, provider };
      await savePace(tx, rows, { ...one.lanes, provider: null }, { at, count: countOf(one) });
    }
    const lane = toLane(capacity.provider.callsPerSecond, capacity.provider.pace);
    await savePace(
      tx,
      { campaignId: null, provider },
      { campaign: null, provider: lane },
      { at, count: taken },
    );
  }
  const earliest = await findEarliestDueByZone(
    tx,
    allowed.map(({ view }) => view.definition),
  );
  const planned = allowed.map((one) => {
    const left = earliest.get(one.view.definition.id) ?? [];
    return planAfterDial(one, { calls: calls.get(one.view.definition.id) ?? [], left, now });
  });
  return { planned: [...paused, ...planned], taken };
}

/** The campaigns with the highest priority first, and among equals those that were served least recently. */
function inOrderOfTurns(
  dialing: readonly Wanted[],
  { campaigns }: DialRoom,
): Array<{ wanted: Wanted; room: RoomOfCampaign }> {
  const found = dialing.flatMap((wanted) => {
    const room = campaigns.get(wanted.view.definition.id);
    return room ? [{ wanted, room }] : [];
  });
  const priorityOf = ({ wanted }: (typeof found)[number]) => wanted.view.definition.priority;
  const servedAtOf = ({ room }: (typeof found)[number]) => room.served_at?.getTime() ?? -Infinity;
  return found.toSorted((one, other) => {
    const byPriority = priorityOf(other) - priorityOf(one);
    if (byPriority !== 0) return byPriority;
    return servedAtOf(one) < servedAtOf(other) ? -1 : 1;
  });
}

/** Shares lines and paces among campaigns, in the order of their turns: each leaves some to those after it. */
function allow(args: {
  room: DialRoom;
  dialing: readonly Wanted[];
  chosen: ReadonlyMap<string, readonly ChosenRecipient[]>;
  /** How many calls in all. */
  atMost: number;
}): Allowed[] {
  const { now } = args.room;
  const turns = inOrderOfTurns(args.dialing, args.room);
  let taken = 0;
  return turns.map(({ wanted: { view, limits }, room }, at) => {
    const { id, priority } = view.definition;
    const rivals = turns.slice(at + 1).filter(({ wanted }) => wanted.view.definition.priority === priority);
    const capacity = isLimited(room.capacity)
      ? afterOthers(room.capacity, { taken, rivals: rivals.length })
      : room.capacity;
    const lines = linesFor(view.definition, room, capacity, probes(room) ? 1 : limits.atMost);
    const ownLanes = pacedLanes(view, room.pace, capacity);
    const lanes = { ...ownLanes, provider: afterGates(ownLanes.provider, now, taken) };
    const paced = paceAllowance({ now, want: lines.take, lanes: lanesOf(lanes) });
    const people = (args.chosen.get(id) ?? []).slice(
      0,
      Math.min(paced.take, Math.max(0, args.atMost - taken)),
    );
    taken += people.length;
    const paceLeft = lanesOf(lanes).length === 0 ? null : paced.take;
    return { view, limits, room, lanes, lines, paced, people, paceLeft };
  });
}

function afterGates(lane: PacingLane | null, now: Date, count: number): PacingLane | null {
  return lane === null || count === 0 ? lane : { ...lane, pace: countGates(lane, now, count) };
}

/** Set if the pool of caller ids allows no call now. */
function restOf(pool: CallerIdPool, now: Date): (Wait & { freeAt: Date }) | null {
  const { calls, freeAt } = callsLeftOf(pool);
  if (calls > 0) return null;
  // Calls that end without a dial wake no campaign, so this one looks again before the next day.
  const lookAt = after(now, callerIdRetryMs);
  return {
    for: 'caller_id',
    at: freeAt !== null && freeAt < lookAt ? freeAt : lookAt,
    freeAt: freeAt ?? lookAt,
  };
}
