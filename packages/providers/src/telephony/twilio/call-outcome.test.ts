import { describe, expect, test } from 'vitest';
import { externalStatusOf, outcomeOf, type TwilioEnd } from './call-outcome.ts';

const end = (change: Partial<TwilioEnd>): TwilioEnd => ({
  status: 'completed',
  answeredBy: null,
  sipCode: null,
  errorCode: null,
  ...change,
});

describe('how a call at Twilio ended', () => {
  test.each([
    [{ status: 'completed' }, 'completed', 'completed'],
    [{ status: 'completed', sipCode: 200, answeredBy: 'human' }, 'completed', 'completed'],
    [{ status: 'completed', answeredBy: 'unknown' }, 'completed', 'completed'],
    [{ status: 'completed', answeredBy: 'machine_start' }, 'voicemail', 'completed, machine_start'],
    [{ status: 'completed', answeredBy: 'machine_end_beep' }, 'voicemail', 'completed, machine_end_beep'],
    [{ status: 'completed', answeredBy: 'fax' }, 'voicemail', 'completed, fax'],
    [{ status: 'busy', sipCode: 486 }, 'busy', 'busy, sip 486'],
    [{ status: 'busy' }, 'busy', 'busy'],
    [{ status: 'busy', sipCode: 603 }, 'rejected', 'busy, sip 603'],
    [{ status: 'no-answer', sipCode: 487 }, 'no_answer', 'no-answer, sip 487'],
    [{ status: 'no-answer', sipCode: 603 }, 'rejected', 'no-answer, sip 603'],
    [{ status: 'canceled' }, 'canceled', 'canceled'],
    [{ status: 'failed' }, 'failed', 'failed'],
    [{ status: 'failed', sipCode: 503 }, 'failed', 'failed, sip 503'],
    [{ status: 'failed', sipCode: 404 }, 'invalid_number', 'failed, sip 404'],
    [{ status: 'failed', sipCode: 480 }, 'no_answer', 'failed, sip 480'],
    [{ status: 'failed', sipCode: 607 }, 'rejected', 'failed, sip 607'],
    [{ status: 'failed', errorCode: 13224, sipCode: 503 }, 'invalid_number', 'failed, sip 503, error 13224'],
    [{ status: 'failed', errorCode: 13227 }, 'failed', 'failed, error 13227'],
    [{ status: 'failed', errorCode: 10004 }, 'failed', 'failed, error 10004'],
  ] as const)('%j is %s', (of, outcome, words) => {
    expect(outcomeOf(end(of))).toBe(outcome);
    expect(externalStatusOf(end(of))).toBe(words);
  });
});
