import type { components } from '@outdial/client';
import { count, roughly, type Place, whenInWords } from './dates.ts';

type Progress = components['schemas']['CampaignProgress'];
type Summary = components['schemas']['CampaignSummary'];

/** The kind of the status, for its colour: good, needs attention, over. */
export type Tone = 'live' | 'waiting' | 'trouble' | 'idle' | 'done';

export interface StatusInWords {
  /** One word or two, for the badge. */
  label: string;
  tone: Tone;
  text: string;
}

export interface Viewer {
  now: Date;
  timeZone: string;
  language?: string | undefined;
}

export function statusInWords(
  campaign: Pick<Summary, 'start_date' | 'end_date'> & { timezone: string },
  progress: Progress,
  viewer: Viewer,
): StatusInWords {
  const place: Place = { timeZone: campaign.timezone, language: viewer.language };
  const when = (at: string, timeZone = campaign.timezone) => whenInWords(at, { ...place, timeZone }, viewer);
  const { recipients } = progress;
  const left = recipients.waiting + recipients.retrying;
  switch (progress.status) {
    case 'draft':
      return {
        label: 'Draft',
        tone: 'idle',
        text: `Not started: ${count(recipients.total, 'number')} on the list`,
      };
    case 'paused':
      return {
        label: 'Paused',
        tone: 'waiting',
        text:
          left === 0
            ? 'Paused, with no one left to call'
            : `Paused with ${count(left, 'number')} left to call`,
      };
    case 'finished':
      return { label: 'Finished', tone: 'done', text: reachedOf(progress) };
    case 'canceled':
      return { label: 'Canceled', tone: 'done', text: reachedOf(progress) };
    case 'running':
      return running(progress, when, viewer);
  }
}

function running(
  progress: Progress,
  when: (at: string, timeZone?: string) => string,
  { now }: Viewer,
): StatusInWords {
  const { waiting_for: reason, waiting_detail: detail, calls_last_minute: perMinute } = progress;
  const next = detail?.until ?? progress.next_dial_at;
  const end = progress.estimated_end_at;
  const rest = end === null ? '' : `, done in ${roughly(new Date(end).getTime() - now.getTime())}`;
  switch (reason) {
    case null:
      return {
        label: 'Dialing',
        tone: 'live',
        text: `${count(perMinute, 'call')} in the last minute${rest}`,
      };
    case 'window':
    case 'calling_hours':
      return {
        label: 'Waiting',
        tone: 'waiting',
        text: next === null ? 'Waiting for its hours' : `Opens ${when(next, detail?.timezone ?? undefined)}`,
      };
    case 'retry':
      return {
        label: 'Waiting',
        tone: 'waiting',
        text: next === null ? 'Waiting to call people back' : `Calls people back from ${when(next)}`,
      };
    case 'person_cap':
      return {
        label: 'Waiting',
        tone: 'waiting',
        text:
          next === null
            ? 'Everyone has been called as often as allowed'
            : `People may be called again from ${when(next)}`,
      };
    case 'caller_id':
      return {
        label: 'Waiting',
        tone: 'waiting',
        text: `Waiting for a caller id${next === null ? '' : `; next try ${when(next)}`}`,
      };
    case 'number_query':
      return {
        label: 'Waiting',
        tone: 'waiting',
        text: `Waiting for queries of reassigned numbers${next === null ? '' : `; next try ${when(next)}`}`,
      };
    case 'rules':
      return {
        label: 'Trouble',
        tone: 'trouble',
        text: "The operator's rules of law do not fit this release, so nobody is called",
      };
    case 'scrub_list':
      return { label: 'Waiting', tone: 'waiting', text: 'Waiting for a newer scrub list' };
    case 'media_runtime':
      return {
        label: 'Waiting',
        tone: 'waiting',
        text: `Waiting for a free voice process${next === null ? '' : `; next try ${when(next)}`}`,
      };
    case 'voice_not_allowed':
      return {
        label: 'Trouble',
        tone: 'trouble',
        text: 'The operator does not allow telephony.voice or telephony.from_phone of the agent',
      };
    case 'abandonment':
      return {
        label: 'Dialing',
        tone: 'live',
        text: 'Slowed down: too many people answered and heard nothing',
      };
    case 'campaign_line':
      return {
        label: 'Dialing',
        tone: 'live',
        text: `All ${count(progress.max_concurrent_calls, 'line')} of the campaign are in use${rest}`,
      };
    case 'organization_line':
      return {
        label: 'Waiting',
        tone: 'waiting',
        text: 'Waiting for a line: all lines of the organization are in use',
      };
    case 'provider_line':
      return {
        label: 'Waiting',
        tone: 'waiting',
        text: 'Waiting for a line: all lines of the carrier are in use',
      };
    case 'calls_per_second':
      return { label: 'Dialing', tone: 'live', text: `Dialing at its calls-per-second limit${rest}` };
    case 'calls_in_progress':
      return {
        label: 'Ending',
        tone: 'live',
        text: `The last ${progress.recipients.in_call === 1 ? 'call is' : 'calls are'} in progress`,
      };
    case 'provider':
      return {
        label: 'Trouble',
        tone: 'trouble',
        text: `Waiting for the carrier${detail?.last_error ? `: ${detail.last_error}` : ''}${
          next === null ? '' : `; next try ${when(next)}`
        }`,
      };
    case 'quota':
      return {
        label: 'Waiting',
        tone: 'waiting',
        text: `The daily quota is used up${next === null ? '' : `; continues ${when(next)}`}`,
      };
    case 'error':
      return {
        label: 'Trouble',
        tone: 'trouble',
        text: `Dialing fails${next === null ? '' : `; next try ${when(next)}`}`,
      };
    case 'no_adapter':
      return {
        label: 'Trouble',
        tone: 'trouble',
        text: 'Waiting for a worker with an adapter for the carrier',
      };
    case 'no_worker':
      return { label: 'Trouble', tone: 'trouble', text: 'Waiting for a worker: none is running' };
  }
}

function reachedOf({ recipients }: Progress): string {
  const { reached, total } = recipients;
  const share = total === 0 ? 0 : Math.round((reached / total) * 100);
  return `Reached ${count(reached, 'person').replace('persons', 'people')} of ${total} (${share}%)`;
}

/** People whose part is over, as a share of all from 0 to 1. */
export function shareDone({ recipients }: Pick<Progress, 'recipients'>): number {
  const { total, waiting, retrying, in_call: inCall } = recipients;
  return total === 0 ? 0 : (total - waiting - retrying - inCall) / total;
}
