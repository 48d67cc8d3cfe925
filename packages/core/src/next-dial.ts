import { dialingWindow, type DialingSchedule } from './dialing-window.ts';

/** The earliest instant at which a recipient of one zone is due. */
export interface ZoneDue {
  zone: string;
  dueAt: Date;
}

export type NextDial =
  /** `waitingFor` says why it is not now: a window that is closed now or will be when somebody is due, or only the delay before a retry. */
  { kind: 'at'; at: Date; waitingFor: 'window' | 'retry' | null } | { kind: 'never' };

/** When a campaign could next dial, over all zones that have somebody to dial (docs/architecture.md). */
export function nextDial(
  schedule: DialingSchedule,
  earliestDueByZone: readonly ZoneDue[],
  now: Date,
): NextDial {
  let next: NextDial = { kind: 'never' };
  for (const { zone, dueAt } of earliestDueByZone) {
    const from = dueAt > now ? dueAt : now;
    const window = dialingWindow(schedule, zone, from);
    if (window.kind === 'over') continue;
    const at = window.kind === 'open' ? from : window.opensAt;
    if (next.kind === 'at' && next.at <= at) continue;
    const isClosed = window.kind === 'closed' || dialingWindow(schedule, zone, now).kind !== 'open';
    const waitingFor = at <= now ? null : isClosed ? 'window' : 'retry';
    next = { kind: 'at', at, waitingFor };
  }
  return next;
}
