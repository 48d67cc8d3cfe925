import type { components } from '@outdial/client';
import { describe, expect, test } from 'vitest';
import { shareDone, statusInWords } from './campaign-status.ts';

type Progress = components['schemas']['CampaignProgress'];

const campaign = { start_date: '2027-02-01T00:00:00.000Z', end_date: null, timezone: 'Asia/Kolkata' };
/** A Friday afternoon in Berlin. */
const viewer = { now: new Date('2027-03-05T15:00:00Z'), timeZone: 'Europe/Berlin', language: 'en-GB' };

function progress(change: Partial<Progress> = {}): Progress {
  return {
    status: 'running',
    recipients: {
      total: 200,
      waiting: 90,
      retrying: 10,
      in_call: 0,
      reached: 80,
      unreached: 15,
      suppressed: 5,
      withdrawn: 0,
    },
    outcomes: {},
    dials: 120,
    lines_in_use: 0,
    max_concurrent_calls: 10,
    calls_last_minute: 12,
    next_dial_at: null,
    waiting_for: null,
    waiting_detail: null,
    first_dial_at: null,
    last_dial_at: null,
    estimated_end_at: null,
    as_of: '2027-03-05T15:00:00.000Z',
    ...change,
  };
}

function textOf(change: Partial<Progress>): string {
  return statusInWords(campaign, progress(change), viewer).text;
}

describe('a campaign in words', () => {
  test('shows when it opens, on the clock of the people it calls', () => {
    expect(textOf({ waiting_for: 'window', next_dial_at: '2027-03-08T03:30:00.000Z' })).toBe(
      'Opens Monday 9:00 in Kolkata',
    );
    expect(textOf({ waiting_for: 'window', next_dial_at: '2027-03-05T18:00:00.000Z' })).toBe(
      'Opens 23:30 in Kolkata',
    );
    expect(textOf({ waiting_for: 'window', next_dial_at: '2027-03-06T03:30:00.000Z' })).toBe(
      'Opens tomorrow 9:00 in Kolkata',
    );
  });

  test('says when it will be done, with all its lines in use too', () => {
    const change = { max_concurrent_calls: 12, estimated_end_at: '2027-03-05T15:40:00.000Z' };
    expect(textOf(change)).toBe('12 calls in the last minute, done in about 40 minutes');
    expect(textOf({ ...change, waiting_for: 'campaign_line' })).toBe(
      'All 12 lines of the campaign are in use, done in about 40 minutes',
    );
    expect(textOf({ ...change, waiting_for: 'calls_per_second' })).toBe(
      'Dialing at its calls-per-second limit, done in about 40 minutes',
    );
  });

  test("shows the carrier's answer", () => {
    const detail = {
      message: '',
      remedy: '',
      until: '2027-03-05T15:01:00.000Z',
      timezone: null,
      limit: null,
      in_use: null,
      held_by: null,
      provider: 'trunk',
      last_error: '503 since 14:02',
      blocked_since: null,
    };
    expect(textOf({ waiting_for: 'provider', waiting_detail: detail })).toBe(
      'Waiting for the carrier: 503 since 14:02; next try 20:31 in Kolkata',
    );
  });

  test('says how fast it is, and when it is done', () => {
    expect(textOf({ estimated_end_at: '2027-03-05T18:00:00.000Z' })).toBe(
      '12 calls in the last minute, done in about 3 hours',
    );
    expect(textOf({ calls_last_minute: 1 })).toBe('1 call in the last minute');
  });

  test('says how it ended, and who is left', () => {
    expect(textOf({ status: 'finished' })).toBe('Reached 80 people of 200 (40%)');
    expect(textOf({ status: 'paused' })).toBe('Paused with 100 numbers left to call');
    expect(textOf({ status: 'draft' })).toBe('Not started: 200 numbers on the list');
  });

  test('counts people as done once they are finished', () => {
    expect(shareDone(progress())).toBe(0.5);
    const { recipients } = progress();
    const none = Object.fromEntries(Object.keys(recipients).map((key) => [key, 0])) as typeof recipients;
    expect(shareDone({ recipients: none })).toBe(0);
  });
});
