import type { Db } from '@outdial/db';
import type { Outcome } from '@outdial/core';

/** One attempt that passed its gate. */
export interface Dial {
  callId: string;
  campaignId: string | null;
  phone: string;
  attempt: number;
  gatedAt: Date;
  /** Where it is not known yet whether a carrier took it: the gate may be passed again, later. */
  isBeingPlaced: boolean;
  endedAt: Date | null;
  outcome: Outcome | null;
}

/** Every dial there was, in the order of their gates. */
export async function recordedDials(db: Db, of: { campaignId?: string } = {}): Promise<Dial[]> {
  let query = db
    .selectFrom('calls')
    .select(['id', 'campaign_id', 'phone_number', 'attempt', 'gated_at', 'phase', 'ended_at', 'outcome'])
    .where('gated_at', 'is not', null)
    .orderBy('gated_at')
    .orderBy('id');
  if (of.campaignId !== undefined) query = query.where('campaign_id', '=', of.campaignId);
  const rows = await query.execute();
  return rows.flatMap((row) =>
    row.gated_at === null
      ? []
      : [
          {
            callId: row.id,
            campaignId: row.campaign_id,
            phone: row.phone_number,
            attempt: row.attempt,
            gatedAt: row.gated_at,
            isBeingPlaced: row.phase === 'placing',
            endedAt: row.ended_at,
            outcome: row.outcome,
          },
        ],
  );
}

/** The most dials that were in progress at the same time. */
export function mostAtOnce(dials: readonly Dial[]): number {
  const changes = dials.flatMap(({ gatedAt, endedAt }) => [
    { at: gatedAt.getTime(), by: 1 },
    { at: endedAt?.getTime() ?? Number.POSITIVE_INFINITY, by: -1 },
  ]);
  // A line that is freed and taken in the same millisecond was not taken twice.
  changes.sort((one, other) => one.at - other.at || one.by - other.by);
  let now = 0;
  let most = 0;
  for (const { by } of changes) most = Math.max(most, (now += by));
  return most;
}

/** The most dials in any stretch of time of a length, wherever it is laid. */
export function mostWithin(dials: readonly Dial[], durationMs: number): number {
  const instants = dials.map((dial) => dial.gatedAt.getTime()).toSorted((one, other) => one - other);
  let first = 0;
  let most = 0;
  for (const [last, at] of instants.entries()) {
    while (at - (instants[first] ?? at) >= durationMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
