/** At most `calls` calls to one person in any span of `hours`. */
export interface CallCap {
  calls: number;
  hours: number;
}

/** How often one person may be called, over all campaigns and direct calls of an organization. A null or missing cap is no limit. */
export interface PersonCaps {
  calls?: readonly CallCap[] | null | undefined;
  /** The time between calls of different campaigns. A campaign's own call-backs follow its retry delays. */
  gap_seconds?: number | null | undefined;
  /** The time between a conversation about a debt and the next call about one. */
  after_conversation_hours?: number | null | undefined;
}

/** The caps under a calling policy of `standard` or `strict`, unless the operator sets others. */
export const defaultPersonCaps: PersonCaps = {
  calls: [
    { calls: 3, hours: 24 },
    { calls: 7, hours: 168 },
  ],
  gap_seconds: 4 * 3600,
  after_conversation_hours: 168,
};

/** No cap and no gap is longer. Older calls are deleted. */
export const longestPersonCapHours = 31 * 24;

export interface DialOfPerson {
  at: Date;
  /** Null for a direct call. */
  campaignId: string | null;
}

/** The calls that an organization has made to one person. */
export interface PersonHistory {
  dials: readonly DialOfPerson[];
  /** When the last conversation about a debt ended. */
  conversationAt: Date | null;
}

/** The call to be made. A direct call has no campaign, and keeps the gap to every other call. */
export interface PersonCall {
  campaignId: string | null;
  isDebtCollection: boolean;
}

/** The caps of an organization together with those of the rules that apply to a person, each once. */
export function withCapsOfRules(caps: PersonCaps, ofRules: readonly CallCap[] | null): PersonCaps {
  if (ofRules === null) return caps;
  const own = caps.calls ?? [];
  const isNew = (cap: CallCap) => !own.some(({ calls, hours }) => calls === cap.calls && hours === cap.hours);
  return { ...caps, calls: [...own, ...ofRules.filter(isNew)] };
}

const hourMs = 3_600_000;

/**
 * The instant from which a person may be called; null if no cap forbids it. The caps slide: a cap allows a call again when its oldest
 * call leaves the span, not at midnight. `db/src/compliance/person-free-at.ts` has the same rule in SQL, for the gate; a property
 * test compares the two.
 */
export function personFreeAt(caps: PersonCaps, history: PersonHistory, call: PersonCall): Date | null {
  const newestFirst = history.dials.toSorted((one, other) => other.at.getTime() - one.at.getTime());
  const free: number[] = [];
  for (const { calls, hours } of caps.calls ?? []) {
    const oldest = newestFirst[calls - 1];
    if (oldest) free.push(oldest.at.getTime() + hours * hourMs);
  }
  const other = newestFirst.find((dial) => call.campaignId === null || dial.campaignId !== call.campaignId);
  if (caps.gap_seconds != null && other) free.push(other.at.getTime() + caps.gap_seconds * 1000);
  const { conversationAt } = history;
  if (call.isDebtCollection && caps.after_conversation_hours != null && conversationAt) {
    free.push(conversationAt.getTime() + caps.after_conversation_hours * hourMs);
  }
  return free.length === 0 ? null : new Date(Math.max(...free));
}
