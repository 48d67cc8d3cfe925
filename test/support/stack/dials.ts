import type { Db } from '@outdial/db';
import type { Outcome } from '@outdial/core';
import { mostAtOnce as mostIntervalsAtOnce } from '../intervals.ts';

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

/** The maximum number of concurrent dials. A line that is released and taken in the same millisecond counts once. */
export function mostAtOnce(dials: readonly Dial[]): number {
  return mostIntervalsAtOnce(
    dials.map(({ gatedAt, endedAt }) => ({
      fromMs: gatedAt.getTime(),
      untilMs: endedAt?.getTime() ?? Number.POSITIVE_INFINITY,
    })),
  );
}
