/** A call that was answered is abandoned unless a voice is there within this time (16 CFR 310.4(b)(4); 47 CFR 64.1200(a)(7)). */
export const voiceWithinMs = 2_000;

/** Of a campaign's answered calls of 30 days no larger share may be abandoned (the same). */
export const abandonedShareAtMost = 0.03;

export const abandonmentDays = 30;

/** Fewer calls say nothing: one of ten would be too many. */
const judgedCallsFrom = 30;

/** What became of the answered calls of a campaign in 30 days. */
export interface Abandonment {
  share: number;
  /** Answered calls of which a voice runtime has said whether a voice was there. */
  calls: number;
}

/** Null where a campaign may go on as it is. */
export function judgeAbandonment(counts: { connected: number; abandoned: number }): Abandonment | null {
  const calls = counts.connected + counts.abandoned;
  const share = calls === 0 ? 0 : counts.abandoned / calls;
  return calls >= judgedCallsFrom && share > abandonedShareAtMost ? { share, calls } : null;
}

/** Calls that a campaign may have at once: fewer, the more people were left without a voice; one at least. */
export function slowedLines(maxConcurrentCalls: number, abandonment: Abandonment | null): number {
  if (abandonment === null) return maxConcurrentCalls;
  return Math.max(1, Math.floor((maxConcurrentCalls * abandonedShareAtMost) / abandonment.share));
}
