import type { ValidationErrorEntry } from '@outdial/contracts';
import { parseInstant } from '@outdial/core';

export interface CampaignDates {
  startAt: Date;
  endAt: Date | null;
}

export type ParsedDates =
  | { kind: 'ok'; dates: CampaignDates }
  | { kind: 'invalid'; faults: ValidationErrorEntry[] };

interface DateFields {
  start_date?: string | null | undefined;
  end_date?: string | null | undefined;
}

/**
 * The instants that a campaign's dates mean in its zone. `otherwise` holds where a field is not there; `end_date` null is
 * open-ended. An end that is not after the start is a fault of whichever field was sent.
 */
export function parseCampaignDates(fields: DateFields, zone: string, otherwise: CampaignDates): ParsedDates {
  const faults: ValidationErrorEntry[] = [];
  const read = (name: 'start_date' | 'end_date', bound: 'start' | 'end', text: string): Date | undefined => {
    const parsed = parseInstant(text, { zone, bound });
    if (parsed.kind === 'ok') return parsed.at;
    faults.push({ loc: ['body', name], msg: dateFaults[parsed.reason], type: 'datetime_parsing' });
    return undefined;
  };
  const startAt =
    fields.start_date == null ? otherwise.startAt : read('start_date', 'start', fields.start_date);
  const endAt = readEnd(fields.end_date, otherwise.endAt, (text) => read('end_date', 'end', text));
  if (startAt === undefined || endAt === undefined) return { kind: 'invalid', faults };
  if (endAt !== null && endAt <= startAt) {
    const name = fields.end_date == null ? 'start_date' : 'end_date';
    faults.push({ loc: ['body', name], msg: 'end_date should be after start_date', type: 'value_error' });
    return { kind: 'invalid', faults };
  }
  return { kind: 'ok', dates: { startAt, endAt } };
}

function readEnd(
  text: string | null | undefined,
  otherwise: Date | null,
  read: (text: string) => Date | undefined,
): Date | null | undefined {
  if (text === undefined) return otherwise;
  return text === null ? null : read(text);
}

const dateFaults = {
  not_a_date_time: 'Input should be an ISO 8601 date or date-time',
  no_such_date_time: 'There is no such date or time',
  unknown_time_zone: 'The time zone of the campaign is not known',
} as const;
