/** At most `calls` calls to one person in any span of `hours`. */
export interface CallCap {
  calls: number;
  hours: number;
}

/** How often one person may be called, over all campaigns and direct calls of an organization. */
export interface PersonCaps {
  calls: readonly CallCap[];
  /** From a call to the next one of another campaign. A campaign's own call-backs follow its retry delays. */
  gapSeconds: number | null;
  /** From a conversation about a debt to the next call about one. */
  afterConversationHours: number | null;
}

/** What holds under a calling policy of `standard` or `strict` where an operator has set nothing else. */
export const defaultPersonCaps: { calls: CallCap[]; gapSeconds: number; afterConversationHours: number } = {
  calls: [
    { calls: 3, hours: 24 },
    { calls: 7, hours: 168 },
  ],
  gapSeconds: 4 * 3600,
  afterConversationHours: 168,
};

/** No cap and no gap is longer. What is older is forgotten. */
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

/** What asks to call. A direct call has no campaign, and keeps the gap to every other call. */
export interface PersonCall {
  campaignId: string | null;
  isDebtCollection: boolean;
}

const hourMs = 3_600_000;

/**
 * From when on a person may be called; null where nothing stands against it, now or ever. Sliding: a cap frees a call as its oldest
 * call leaves the span, and not at midnight. `db/src/compliance/person-free-at.ts` is the same rule in SQL, for the gate; a property
 * test holds one against the other.
 */
export function personFreeAt(caps: PersonCaps, history: PersonHistory, call: PersonCall): Date | null {
  const newestFirst = history.dials.toSorted((one, other) => Number(other.at) - Number(one.at));
  const free: number[] = [];
  for (const { calls, hours } of caps.calls) {
    const oldest = newestFirst[calls - 1];
    if (oldest) free.push(oldest.at.getTime() + hours * hourMs);
  }
  const other = newestFirst.find((dial) => call.campaignId === null || dial.campaignId !== call.campaignId);
  if (caps.gapSeconds !== null && other) free.push(other.at.getTime() + caps.gapSeconds * 1000);
  const { conversationAt } = history;
  if (call.isDebtCollection && caps.afterConversationHours !== null && conversationAt) {
    free.push(conversationAt.getTime() + caps.afterConversationHours * hourMs);
  }
  return free.length === 0 ? null : new Date(Math.max(...free));
}
