import { expect, test } from 'vitest';
import { readEndRecord } from './end-record.ts';

test("reads the dialplan's record", () => {
  expect(readEndRecord('1|Down|17||||1795242641|SIP 486 Busy | Here')).toEqual({
    at: new Date('2026-11-21T06:30:41Z'),
    ending: {
      rang: false,
      answered: false,
      cause: 17,
      sipStatus: 486,
      machine: false,
      canceled: false,
      handoffFailed: false,
    },
  });
});

test.each([
  ['1|Up|0|MACHINE|||1795242641|SIP 200 OK', { answered: true, rang: true, machine: true, sipStatus: null }],
  ['1|Ringing|19||||1795242641|SIP 180 Ringing', { answered: false, rang: true, sipStatus: null }],
  ['1|Ringing|16||1||1795242641|', { canceled: true }],
  ['1|Up|16|HUMAN||runtime_unreachable|1795242641|', { handoffFailed: true, machine: false }],
])('%s', (text, ending) => {
  expect(readEndRecord(text)?.ending).toMatchObject(ending);
});

test.each(['', '1|Ringing|19|||| 1795242641|', '2|Up|16||||1795242641|', '1|Up|16||||1795242641'])(
  'is not an end record: %j',
  (text) => {
    expect(readEndRecord(text)).toBeNull();
  },
);
