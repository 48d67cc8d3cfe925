/** A time of day on a wall clock, without date or zone. 24:00 is the end of a day. */
export interface WallTime {
  hour: number;
  minute: number;
  second: number;
  /** Milliseconds since 00:00, on a day without clock changes. */
  sinceMidnightMs: number;
}

/** Parses `HH:MM` or `HH:MM:SS`. Accepts `24:00`, the end of a day, only with `end`. Null if the text is not a time of day. */
export function parseWallTime(text: string, bound: 'start' | 'end' = 'start'): WallTime | null {
  const match = /^(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(text);
  if (match === null) return null;
  const hour = Number(match[1]);
  const minute = Number(match[2]);
  const second = Number(match[3] ?? '0');
  const sinceMidnightMs = ((hour * 60 + minute) * 60 + second) * 1000;
  if (minute > 59 || second > 59) return null;
  if (hour > 23 && !(bound === 'end' && sinceMidnightMs === 24 * 3_600_000)) return null;
  return { hour, minute, second, sinceMidnightMs };
}
