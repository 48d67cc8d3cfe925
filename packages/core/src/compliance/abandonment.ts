/** An answered call is abandoned unless a voice is present within this time (16 CFR 310.4(b)(4); 47 CFR 64.1200(a)(7)). */
export const voiceWithinMs = 2_000;

/** The largest share of a campaign's answered calls in 30 days that may be abandoned (same sources). */
export const abandonedShareAtMost = 0.03;

export const abandonmentDays = 30;

/** With fewer calls the share means nothing: one in ten would already be too many. */
const judgedCallsFrom = 30;

/** The answered calls of a campaign in 30 days. */
export interface Abandonment {
  share: number;
  /** Answered calls for which a voice runtime has reported whether a voice was present. */
  calls: number;
}

/** Null if the campaign need not be slowed. */
export function judgeAbandonment(counts: { connected: number; abandoned: number }): Abandonment | null {
  const calls = counts.connected + counts.abandoned;
  const share = calls === 0 ? 0 : counts.abandoned / calls;
  return calls >= judgedCallsFrom && share > abandonedShareAtMost ? { share, calls } : null;
}

/** The number of simultaneous calls: the more people were left without a voice, the fewer, but at least one. */
export function slowedLines(maxConcurrentCalls: number, abandonment: Abandonment | null): number {
  if (abandonment === null) return maxConcurrentCalls;
  return Math.max(1, Math.floor((maxConcurrentCalls * abandonedShareAtMost) / abandonment.share));
}
