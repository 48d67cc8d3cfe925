export const dayMs = 86_400_000;

/** A calendar day, counted from 1970-01-01 as day 0, without a zone. */
export type LocalDay = number;

export function localDayOf(localMs: number): LocalDay {
  return Math.floor(localMs / dayMs);
}

export function formatLocalDate(day: LocalDay): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** Null if the text is not a valid `yyyy-MM-dd`. */
export function parseLocalDate(text: string): LocalDay | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const atMs = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(atMs)) return null;
  const day = localDayOf(atMs);
  // `Date.parse` reads February 30th as March 1st or 2nd.
  return formatLocalDate(day) === text ? day : null;
}

export function isWeekend(day: LocalDay): boolean {
  // Day 0 was a Thursday, so days 2 and 3 were Saturday and Sunday.
  const weekday = ((day % 7) + 7) % 7;
  return weekday === 2 || weekday === 3;
}
