import { expect, test } from 'vitest';
import { readEndRecord } from './end-record.ts';
import { endedFact } from './facts.ts';

/** The end of a call as the dialplan of Outdial records it. */
function ended(state: string, cause: number, sip: string) {
  const record = readEndRecord(`1|${state}|${cause}||||1774000000|${sip}`);
  if (record === null) throw new Error('not an end record');
  return endedFact('call', record.at, record.ending);
}

test.each([
  [401, /credentials/],
  [402, /credit/],
  [403, /account/],
  [407, /credentials/],
])('SIP %i is of the account unless the phone rang', (status, remedy) => {
  const fault = { code: `sip_${status}`, remedy: expect.stringMatching(remedy) as string };
  expect(ended('Down', 21, `SIP ${status} Refused`)).toMatchObject({ outcome: 'failed', fault });
  expect(ended('Ringing', 21, `SIP ${status} Refused`)).not.toHaveProperty('fault');
});

test.each([400, 420, 428, 436, 488, 493, 500, 502, 503, 504, 580, 606])(
  'SIP %i is of the account if several people get it',
  (status) => {
    const fault = { code: `sip_${status}`, isUnknownCode: true };
    expect(ended('Down', 34, `SIP ${status} Failed`)).toMatchObject({ fault });
    expect(ended('Ringing', 34, `SIP ${status} Failed`)).not.toHaveProperty('fault');
  },
);

test.each([3, 18, 19, 27, 34, 38, 41, 58])(
  'cause %i without an answer of the carrier is of the account if several people get it',
  (cause) => {
    const fault = { code: `cause_${cause}`, isUnknownCode: true };
    expect(ended('Down', cause, '')).toMatchObject({ fault });
    expect(ended('Ringing', cause, '')).not.toHaveProperty('fault');
  },
);

test.each([0, 1, 16, 17, 20, 21, 22, 28])('cause %i is of the number', (cause) => {
  expect(ended('Down', cause, '')).not.toHaveProperty('fault');
});

test.each([404, 410, 433, 484, 486, 487, 600, 603, 604, 607, 608, 480, 408, 200])(
  'SIP %i is of the number',
  (status) => {
    expect(ended('Down', 1, `SIP ${status} Text`)).not.toHaveProperty('fault');
  },
);
