import { dialingWindow, nextDial, paceAllowance } from '@outdial/core';
import {
  chooseDue,
  lanesOf,
  lockAdvances,
  lockDials,
  noLineWaiters,
  openAdvances,
  savePlans,
  type AdvanceView,
  type ChosenRecipient,
  type LineWaiters,
  type Tx,
  type WantedDue,
} from '@outdial/db';
import { openWindows } from '../gate/open-windows.ts';
import { limitsReader, linesToTry, probes, type ReadLimits, type Wanted } from './campaign-limits.ts';
import { dialChosen } from './dial-chosen.ts';
import { windowsOf, type DialDueDeps } from './pass-due.ts';
import { pacedLanes, planWithoutDial } from './plans.ts';
import { afterOthers, capacityReader, wakeLineWaiters, type ReadCapacity } from './shared-lines.ts';
import { dialsAtOnce, toStep, type Planned, type Step } from './step.ts';

export type { DialDueDeps };

export interface Dialed {
  /** By campaign. */
  steps: Map<string, Step>;
  /** What may dial now that lines are left. */
  lineWaiters: LineWaiters;
}

/**
 * One transaction of an advance: chooses due recipients of campaigns of one organization, passes the gate with as many as lines, pace, quota and caller
 * ids allow, and plans the next wake-ups. The calls that it returns are committed with it, and have to be sent at once. Runs within `inGate`.
 * @param campaignIds if there are several, those that need their own transaction (`alone`) are left as they are
 * @param options.waits whether it waits for a change of a campaign. Otherwise a campaign that a change holds is left as it is.
 * @param takePlaces reserves places to send, and returns how many there are; called when the locks that changes hold have been granted
 */
export async function dialDue(
  tx: Tx,
  deps: DialDueDeps,
  campaignIds: readonly string[],
  takePlaces: () => number,
  { waits }: { waits: boolean } = { waits: true },
): Promise<Dialed> {
  const isAlone = campaignIds.length === 1;
  const steps = new Map<string, Step>(campaignIds.map((id) => [id, { kind: waits ? 'idle' : 'alone' }]));
  const opened = await openAdvances(tx, campaignIds, { waits });
  const provider = opened[0]?.provider;
  const views = opened.filter((view) => {
    const isRunning = view.definition.status === 'running';
    if (!isRunning) steps.set(view.definition.id, { kind: 'idle' });
    return isRunning && (isAlone || (view.provider === provider && goesWithOthers(view)));
  });
  const [first] = views;
  if (first === undefined) return { steps, lineWaiters: noLineWaiters };
  const readLimits = limitsReader(tx, deps, first.definition.organizationId);
  const { wanted, crowdedOut } = await wantedOf(views, readLimits, takePlaces);
  for (const view of crowdedOut) {
    steps.set(view.definition.id, toStep({ view, plan: null, more: true }).step);
  }
  const advanced = views.filter((view) => !crowdedOut.has(view));
  const chosen = await choose(tx, wanted);
  const dialing = wanted.filter(({ view }) => chosen.has(view.definition.id));
  requireGrounds(dialing, chosen);
  const room = dialing.length === 0 ? null : await lockDials(tx, advanced);
  const { planned, taken } = room
    ? await dialChosen(tx, deps, { room, dialing, chosen })
    : { planned: [], taken: 0 };
  const resting = advanced.filter(({ definition }) => !chosen.has(definition.id));
  const readCapacity: ReadCapacity = room
    ? async ({ capacity, definition: { id } }) =>
        afterOthers(room.campaigns.get(id)?.capacity ?? capacity, { taken, rivals: 0 })
    : capacityReader(tx, resting);
  if (resting.length > 0) {
    const ids = resting.map(({ definition }) => definition.id);
    const locked = await lockAdvances(tx, ids);
    for (const view of locked) {
      const rest = await planWithoutDial(view, readLimits, readCapacity);
      if ('kind' in rest) steps.set(view.definition.id, rest);
      else planned.push(rest);
    }
  }
  const lineWaiters = await passOn(tx, planned, readCapacity);
  const toSave = planned.map((one) => {
    const { step, row } = toStep(one);
    steps.set(one.view.definition.id, step);
    return row;
  });
  await savePlans(
    tx,
    toSave.filter((row) => row !== null),
    first.now,
  );
  return { steps, lineWaiters };
}

/** A transaction looks at all of them, and meanwhile the process does nothing else. */
const keysTogetherAtMost = 250;

/** Whether a campaign can be dialed in one transaction with others of its organization and provider. Probes and caller ids are taken one at a time. */
function goesWithOthers(view: AdvanceView): boolean {
  return !probes(view) && !view.has_caller_ids && view.definition.callingKeys.length <= keysTogetherAtMost;
}

/** How many recipients of each campaign are wanted, as far as can be read without locks. `crowdedOut`: there is no place to send left for them. */
async function wantedOf(
  views: readonly AdvanceView[],
  readLimits: ReadLimits,
  takePlaces: () => number,
): Promise<{ wanted: Wanted[]; crowdedOut: Set<AdvanceView> }> {
  const wanted: Wanted[] = [];
  for (const view of views) {
    if (!isDueNow(view)) continue;
    const limits = await readLimits(view);
    const limit = limits.wait === null ? placesToTry(view, limits.atMost) : 0;
    if (limit > 0) wanted.push({ view, limits, limit });
  }
  if (wanted.length === 0) return { wanted, crowdedOut: new Set() };
  // What media servers can hold is counted only once calls are placed.
  let places = Math.min(takePlaces(), ...wanted.map(({ limits }) => limits.mediaCapacity ?? dialsAtOnce));
  // Those that want the fewest first, so that what they leave is shared by the others.
  wanted.sort((one, other) => one.limit - other.limit);
  for (const [at, one] of wanted.entries()) {
    one.limit = Math.min(one.limit, Math.floor(places / (wanted.length - at)));
    places -= one.limit;
  }
  const crowdedOut = new Set(wanted.filter(({ limit }) => limit === 0).map(({ view }) => view));
  return { wanted: wanted.filter(({ limit }) => limit > 0), crowdedOut };
}

function isDueNow({ definition: { schedule }, earliestDueByZone, now }: AdvanceView): boolean {
  if (schedule.endAt !== null && now >= schedule.endAt) return false;
  const next = nextDial(schedule, earliestDueByZone, now);
  return next.kind === 'at' && next.at <= now;
}

function placesToTry(view: AdvanceView, atMost: number): number {
  const lines = linesToTry(view, atMost);
  const lanes = lanesOf(pacedLanes(view, view.pace, view.capacity));
  return lines <= 0 ? 0 : paceAllowance({ now: view.now, want: lines, lanes }).take;
}

async function choose(tx: Tx, wanted: readonly Wanted[]): Promise<Map<string, ChosenRecipient[]>> {
  const [first] = wanted;
  if (first === undefined) return new Map();
  const { now, has_caller_ids: withLastCallerId, definition } = first.view;
  const campaigns = wanted.map(({ view, limit }): WantedDue => {
    const { schedule, id: campaignId } = view.definition;
    const zones = view.earliestDueByZone
      .filter((due) => due.dueAt <= now)
      .map((due) => due.zone)
      .filter((zone) => dialingWindow(schedule, zone, now).kind === 'open');
    return { campaignId, zones, limit };
  });
  const { organizationId } = definition;
  return chooseDue(tx, { organizationId, campaigns, now, withLastCallerId });
}

/** Has the transaction begin again if grounds of the chosen people are new, before it locks the rows for which others wait. */
function requireGrounds(
  dialing: readonly Wanted[],
  chosen: ReadonlyMap<string, readonly ChosenRecipient[]>,
): void {
  const [first] = dialing;
  if (first === undefined) return;
  const { now } = first.view;
  try {
    windowsOf(
      dialing.map(({ view }) => ({ view, people: chosen.get(view.definition.id) ?? [] })),
      now,
    );
  } catch (error) {
    // It may choose other people then, so the grounds of all who are due are written.
    const due = dialing.map(({ view: { definition, earliestDueByZone } }) => {
      return {
        definition,
        keys: earliestDueByZone.filter(({ dueAt }) => dueAt <= now).map(({ zone }) => zone),
      };
    });
    openWindows(due, now);
    throw error;
  }
}

/** Wakes what may use the lines that campaigns leave. */
async function passOn(tx: Tx, planned: readonly Planned[], readCapacity: ReadCapacity): Promise<LineWaiters> {
  const first = planned.find(({ passesOn }) => passesOn === true);
  if (first === undefined) return noLineWaiters;
  const views = planned.map(({ view }) => view);
  return wakeLineWaiters(tx, views, await readCapacity(first.view));
}
