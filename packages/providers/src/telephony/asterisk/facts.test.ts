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

test.each([500, 502, 503, 504])('SIP %i is of the account if several people get it', (status) => {
  expect(ended('Down', 34, `SIP ${status} Failed`)).toMatchObject({ fault: { isUnknownCode: true } });
});

test.each([404, 410, 484, 486, 600, 603, 604, 607, 480, 408, 200])('SIP %i is of the number', (status) => {
  expect(ended('Down', 1, `SIP ${status} Text`)).not.toHaveProperty('fault');
});
