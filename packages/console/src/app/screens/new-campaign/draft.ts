import type { Schemas } from '../../data/api.ts';
import { ownTimeZone } from '../../words/dates.ts';
import { columnOf, type Columns, mappingOf } from '../../sheets/mapping.ts';
import type { Sheet } from '../../sheets/sheet.ts';
import type { RetryValues, ScheduleValues } from '../campaign-form/values.ts';

/** A campaign that is being created. It is only stored when it is started or saved. */
export interface Draft extends ScheduleValues, RetryValues {
  name: string;
  agentId: string;
  file: File | null;
  sheet: Sheet | null;
  columns: Columns;
  /** The two-letter country of numbers without +. Empty if all have one. */
  country: string;
  /** How numbers without + are written. Empty to be asked where they can be read both ways. */
  numbers: '' | 'international' | 'national';
  timezone: string;
  onWeekends: boolean;
}

export function emptyDraft(timezone: string): Draft {
  return {
    name: '',
    agentId: '',
    file: null,
    sheet: null,
    columns: {},
    country: '',
    numbers: '',
    timezone: timezone === 'UTC' ? ownTimeZone() : timezone,
    startDate: '',
    endDate: '',
    startTime: '09:00',
    endTime: '18:00',
    onWeekends: false,
    callBacks: 2,
    callBackMinutes: 60,
    retryOn: ['no_answer', 'busy', 'failed', 'voicemail'],
    queueAgain: false,
    lines: 10,
  };
}

export type ChangeDraft = (change: Partial<Draft>) => void;

export function importParts(draft: Draft, status: 'draft' | 'paused'): Record<string, string> {
  const { startDate, endDate } = draft;
  const campaign = {
    name: draft.name.trim() === '' ? 'Untitled' : draft.name.trim(),
    agent_id: draft.agentId,
    status,
    start_time: draft.startTime,
    end_time: draft.endTime,
    ...(startDate !== '' && { start_date: startDate }),
    ...(endDate !== '' && { end_date: endDate }),
    additional_params: { timezone: draft.timezone },
  };
  return {
    campaign: JSON.stringify(campaign),
    mapping: JSON.stringify(mappingOf(draft.columns)),
    ...(draft.country !== '' && { country: draft.country }),
    ...(draft.numbers !== '' && { numbers: draft.numbers }),
  };
}

/** The same for a dry run. A missing name does not matter for the list. */
export function checkParts(draft: Draft): Record<string, string> {
  return { ...importParts({ ...draft, name: '' }, 'draft'), dry_run: 'true' };
}

export function configOf(draft: Draft): Schemas['SetCampaignConfig'] {
  return {
    call_on_weekend: draft.onWeekends,
    call_back_attempts: draft.callBacks,
    retry_delay_seconds: draft.callBackMinutes * 60,
    retry_on: [...draft.retryOn],
    queue_again: draft.queueAgain,
    max_concurrent_calls: draft.lines,
  };
}

/** The reason why it cannot be saved, as a sentence; null if it can. */
export function whatIsMissing(draft: Draft): string | null {
  if (draft.sheet === null) return 'Add the list of people.';
  if (columnOf(draft.columns, 'phone') === null) return 'Choose the column with the phone numbers.';
  if (draft.name.trim() === '') return 'Give the campaign a name.';
  if (draft.agentId === '') return 'Choose an agent.';
  return null;
}
