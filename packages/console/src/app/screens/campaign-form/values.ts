import type { Schemas } from '../../data/api.ts';

export type RetryOutcome = NonNullable<Schemas['SetCampaignConfig']['retry_on']>[number];

/** On which days and at which hours a campaign calls, as its form has them. */
export interface ScheduleValues {
  startDate: string;
  endDate: string;
  startTime: string;
  endTime: string;
}

export interface RetryValues {
  callBacks: number;
  callBackMinutes: number;
  retryOn: readonly RetryOutcome[];
  queueAgain: boolean;
  lines: number;
}

/** The faults of fields, by their names in the API. */
export type FieldFaults = Readonly<Record<string, string>>;
