/**
 * Dates in the viewer's language (by default the browser's) and in the zone of a screen's subject. If that is not the viewer's zone, its
 * city is named, so that viewers do not mistake it for their own time.
 */
export interface Place {
  timeZone: string;
  /** Undefined is the browser's. */
  language?: string | undefined;
}

/** `Asia/Kolkata` → `Kolkata`, `America/Argentina/Buenos_Aires` → `Buenos Aires`. */
export function cityOf(timeZone: string): string {
  return (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ');
}

export function ownTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `Mon 2 Mar, 15:04`, with the year if it is not the current one. */
export function dateAndTime(at: string | Date, place: Place, now = new Date()): string {
  const date = new Date(at);
  return new Intl.DateTimeFormat(place.language, {
    timeZone: place.timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    ...(yearOf(date, place) !== yearOf(now, place) && { year: 'numeric' }),
  }).format(date);
}

export function timeOfDay(at: string | Date, place: Place, { seconds = false } = {}): string {
  return new Intl.DateTimeFormat(place.language, {
    timeZone: place.timeZone,
    hour: 'numeric',
    minute: '2-digit',
    ...(seconds && { second: '2-digit' }),
  }).format(new Date(at));
}

export function dateOnly(at: string | Date, place: Place): string {
  return new Intl.DateTimeFormat(place.language, {
    timeZone: place.timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  }).format(new Date(at));
}

/** A relative date: `15:04` today, `tomorrow 9:00`, `Monday 9:00` within a week, otherwise the date. With `in Kolkata` if the viewer is elsewhere. */
export function whenInWords(
  at: string | Date,
  place: Place,
  viewer: { now: Date; timeZone: string },
): string {
  const date = new Date(at);
  const { timeZone, language } = place;
  const days = daysBetween(viewer.now, date, timeZone);
  const time = timeOfDay(date, place);
  const where = sameClock(timeZone, viewer.timeZone, date) ? '' : ` in ${cityOf(timeZone)}`;
  if (days === 0) return `${time}${where}`;
  if (days === 1 || days === -1) return `${relativeDay(days, language)} ${time}${where}`;
  if (days > 1 && days < 7) {
    const weekday = new Intl.DateTimeFormat(language, { timeZone, weekday: 'long' }).format(date);
    return `${weekday} ${time}${where}`;
  }
  return `${dateAndTime(date, place, viewer.now)}${where}`;
}

function relativeDay(days: number, language: string | undefined): string {
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(days, 'day');
}

/** Whole days from one instant's date to another's, in one zone. */
function daysBetween(from: Date, to: Date, timeZone: string): number {
  return Math.round((dayNumber(to, timeZone) - dayNumber(from, timeZone)) / 86_400_000);
}

function dayNumber(at: Date, timeZone: string): number {
  // Swedish writes dates as ISO 8601 does.
  return Date.parse(new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at));
}

function yearOf(at: Date, { timeZone }: Place): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric' }).format(at);
}

/** Two zones look the same to a reader if their clocks show the same time. */
function sameClock(one: string, other: string, at: Date): boolean {
  return one === other || offsetMinutes(one, at) === offsetMinutes(other, at);
}

/** Minutes that a zone's clock is ahead of UTC. */
export function offsetMinutes(timeZone: string, at: Date): number {
  const name = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const found = /GMT([+-])(\d\d):(\d\d)/.exec(name ?? '');
  if (found === null) return 0;
  const [, sign, hours, minutes] = found;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** `1:05`, `12:00:07`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor((whole % 3_600) / 60);
  const rest = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** `about 3 hours`, for an estimate. */
export function roughly(milliseconds: number): string {
  const minutes = Math.max(1, Math.round(milliseconds / 60_000));
  if (minutes < 90) return `about ${count(minutes, 'minute')}`;
  const hours = Math.round(minutes / 60);
  if (hours < 36) return `about ${count(hours, 'hour')}`;
  return `about ${count(Math.round(hours / 24), 'day')}`;
}

export function count(number: number, noun: string, language?: string): string {
  return `${new Intl.NumberFormat(language).format(number)} ${noun}${number === 1 ? '' : 's'}`;
}

export function wholeNumber(number: number, language?: string): string {
  return new Intl.NumberFormat(language).format(number);
}

/** `start_time` and `end_time` as text: `09:00`, or all day. */
export function hoursInWords(start: string, end: string): string {
  const short = (time: string) => time.replace(/^(\d\d:\d\d):00$/, '$1');
  const isAllDay = start === end || (start.startsWith('00:00') && /^(24:00|23:59)/.test(end));
  return isAllDay ? 'all day' : `${short(start)}–${short(end)}`;
}
