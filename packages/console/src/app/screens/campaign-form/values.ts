import type { Schemas } from '../../data/api.ts';

export type RetryOutcome = NonNullable<Schemas['SetCampaignConfig']['retry_on']>[number];

/** On which days and at which hours a campaign calls, as its form has them. */
export interface ScheduleValues {
  startDate: string;
  endDate: string;
  startTime: string;
  endTime: string;
}

/** Who is called back, and how many calls there are at once. */
export interface RetryValues {
  callBacks: number;
  callBackMinutes: number;
  retryOn: readonly RetryOutcome[];
  queueAgain: boolean;
  lines: number;
}

/** What is wrong with a field, by its name in the interface. */
export type FieldFaults = Readonly<Record<string, string>>;
