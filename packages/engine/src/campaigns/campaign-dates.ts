import type { ValidationErrorEntry } from '@outdial/contracts';
import { parseInstant, parseWallTime } from '@outdial/core';
import type { CampaignFields } from '@outdial/db';

/** If `end_date` is earlier than `end_at`, because the last window may finish, `end_date_at` is its instant. */
export type CampaignDates = Pick<CampaignFields, 'start_at' | 'end_at' | 'end_date_at'>;

type ParsedDates = { kind: 'ok'; dates: CampaignDates } | { kind: 'invalid'; faults: ValidationErrorEntry[] };

type DailyWindow = Pick<CampaignFields, 'start_time' | 'end_time'>;

/** Years that all involved calendars and databases support. */
const firstYear = 1970;
const lastYear = 9998;

/**
 * The instants of a campaign's dates in its zone. If `end_date` has no time, the window that opens on that day may finish, even past midnight.
 * `otherwise` applies to missing fields, and to an `end_date` that it already has; an `end_date` of null means open-ended. If the end is not after the start, the fault names the field
 * that was sent.
 */
export function parseCampaignDates(
  fields: { start_date?: string | null | undefined; end_date?: string | null | undefined },
  zone: string,
  otherwise: CampaignDates,
  window: DailyWindow,
): ParsedDates {
  const faults: ValidationErrorEntry[] = [];
  const read = (name: 'start_date' | 'end_date', bound: 'start' | 'end', text: string): Date | undefined => {
    const parsed = parseInstant(text, { zone, bound });
    if (parsed.kind === 'ok') return parsed.at;
    faults.push({ loc: ['body', name], msg: dateFaults[parsed.reason], type: 'datetime_parsing' });
    return undefined;
  };
  const startAt =
    fields.start_date == null ? otherwise.start_at : read('start_date', 'start', fields.start_date);
  const { end_date: endDate } = fields;
  const givenEnd = readEnd(endDate, otherwise.end_date_at ?? otherwise.end_at, (text) => {
    const year = Number(/^\d{4}/.exec(text)?.[0] ?? firstYear);
    if (year >= firstYear && year <= lastYear) return read('end_date', 'end', text);
    const msg = `end_date should be in a year from ${firstYear} to ${lastYear}`;
    faults.push({ loc: ['body', 'end_date'], msg, type: 'value_error' });
    return undefined;
  });
  const isKept =
    endDate == null || (!isBareDate(endDate) && givenEnd?.getTime() === otherwise.end_date_at?.getTime());
  const finish = isKept ? otherwise : { end_at: windowEnd(endDate, zone, window) };
  const endAt = givenEnd === null || givenEnd === undefined ? givenEnd : (finish.end_at ?? givenEnd);
  if (startAt === undefined || endAt === undefined) return { kind: 'invalid', faults };
  if (endAt !== null && endAt <= startAt) {
    const name = endDate == null ? 'start_date' : 'end_date';
    faults.push({ loc: ['body', name], msg: 'end_date should be after start_date', type: 'value_error' });
    return { kind: 'invalid', faults };
  }
  const endDateAt = givenEnd?.getTime() === endAt?.getTime() ? null : (givenEnd ?? null);
  return { kind: 'ok', dates: { start_at: startAt, end_at: endAt, end_date_at: endDateAt } };
}

function readEnd(
  text: string | null | undefined,
  otherwise: Date | null,
  read: (text: string) => Date | undefined,
): Date | null | undefined {
  if (text === undefined) return otherwise;
  return text === null ? null : read(text);
}

function isBareDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

/** For a bare date, the end of its window if that is past midnight; otherwise null. */
function windowEnd(
  text: string,
  zone: string,
  { start_time: startTime, end_time: endTime }: DailyWindow,
): Date | null {
  const startMs = parseWallTime(startTime)?.sinceMidnightMs ?? 0;
  const endMs = parseWallTime(endTime, 'end')?.sinceMidnightMs ?? 0;
  if (endMs === 0 || startMs <= endMs || !isBareDate(text)) return null;
  const midnight = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(midnight)) return null;
  const dayAfter = new Date(midnight + 86_400_000).toISOString().slice(0, 10);
  const parsed = parseInstant(`${dayAfter}T${endTime}`, { zone, bound: 'end' });
  return parsed.kind === 'ok' ? parsed.at : null;
}

const dateFaults = {
  not_a_date_time:
    'Input should be an ISO 8601 date or date-time, such as 2026-03-02 or 2026-03-02T09:00:00Z',
  no_such_date_time: 'Input should be a date and time that exist',
  unknown_time_zone: 'The time zone of the campaign is unknown',
} as const;
