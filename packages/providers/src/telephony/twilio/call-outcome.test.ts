import { describe, expect, test } from 'vitest';
import { externalStatusOf, faultOf, outcomeOf, type TwilioEnd } from './call-outcome.ts';

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

describe('a failed call is', () => {
  // The matcher is not typed.
  const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);

  test.each([
    [{ sipCode: 403 }, { code: 'sip_403', remedy: text(/account/) }],
    [{ sipCode: 503 }, { code: 'sip_503', remedy: text(/operator/), isUnknownCode: true }],
    [{ errorCode: 10001 }, { code: 'twilio_10001', remedy: text(/balance/) }],
    [
      { errorCode: 10004, sipCode: 503 },
      { code: 'twilio_10004', remedy: text(/concurrency/) },
    ],
    [{ errorCode: 99999 }, { code: 'twilio_99999', remedy: text(/list of errors/), isUnknownCode: true }],
  ])('the fault of the account: %j', (of, fault) => {
    expect(faultOf(end({ status: 'failed', ...of }))).toEqual(fault);
    expect(faultOf(end({ status: 'busy', ...of }))).toBeUndefined();
  });

  test.each([{ sipCode: 404 }, { sipCode: 484 }, { sipCode: 604 }, { errorCode: 13224, sipCode: 403 }])(
    'of the number: %j',
    (of) => expect(faultOf(end({ status: 'failed', ...of }))).toBeUndefined(),
  );
});
