import type { Db } from '@outdial/db';
import type { Outcome } from '@outdial/core';

/** One attempt that passed its gate. */
export interface Dial {
  callId: string;
  campaignId: string | null;
  phone: string;
  attempt: number;
  gatedAt: Date;
  /** Whether it is unknown if the carrier accepted the call, so that it may pass the gate again. */
  isBeingPlaced: boolean;
  endedAt: Date | null;
  outcome: Outcome | null;
}

/** Every dial, in the order of the gates. */
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

/** The maximum number of concurrent dials. */
export function mostAtOnce(dials: readonly Dial[]): number {
  const changes = dials.flatMap(({ gatedAt, endedAt }) => [
    { at: gatedAt.getTime(), by: 1 },
    { at: endedAt?.getTime() ?? Number.POSITIVE_INFINITY, by: -1 },
  ]);
  // A line that is released and taken in the same millisecond counts once.
  changes.sort((one, other) => one.at - other.at || one.by - other.by);
  let now = 0;
  let most = 0;
  for (const { by } of changes) most = Math.max(most, (now += by));
  return most;
}

/** The maximum number of dials in any span of the given length. */
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
