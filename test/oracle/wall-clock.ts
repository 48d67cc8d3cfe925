const formats = new Map<string, Intl.DateTimeFormat>();

/** The reading of a wall clock. */
export interface WallClock {
  /** yyyy-MM-dd. */
  date: string;
  msOfDay: number;
}

/** Uses only `Intl`, one instant at a time. For years from 1990 on, in which offsets are whole minutes. */
export function wallClock(zone: string, at: number): WallClock {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(zone, format);
  }
  // yyyy-MM-dd, HH:mm:ss
  const text = format.format(at);
  const [date = '', time = ''] = text.split(', ');
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const ms = ((at % 1000) + 1000) % 1000;
  return { date, msOfDay: ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms };
}

export function isWeekendDate(date: string): boolean {
  const weekday = new Date(`${date}T12:00:00Z`).getUTCDay();
  return weekday === 0 || weekday === 6;
}

export function dayBefore(date: string): string {
  return new Date(Date.parse(`${date}T12:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}
