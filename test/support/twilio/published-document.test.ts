import { describe, expect, test } from 'vitest';
import { readPublishedDocument } from './published-document.ts';

const document = readPublishedDocument();
const account = `/2010-04-01/Accounts/AC${'0'.repeat(32)}`;
const dial = { method: 'POST', path: `${account}/Calls.json`, query: new URLSearchParams() } as const;
// The document is outside of this checkout (../shared/twilio-calls.openapi.json), and a clone may not have it.
describe.skipIf(document === null)("requests against Twilio's published document", () => {
  test('accepts a request to dial that conforms', () => {
    const form = new URLSearchParams({
      To: '+15550000001',
      From: '+15550000002',
      Timeout: '30',
      Record: 'true',
    });
    form.append('StatusCallbackEvent', 'initiated');
    expect(document?.requestFaults({ ...dial, form })).toEqual([]);
  });

  test.each([
    ['a field it does not know', { To: '+15550000001', From: '+15550000002', Colour: 'red' }, /additional/],
    ['a field that is missing', { To: '+15550000001' }, /From/],
    ['text for a number', { To: '+15550000001', From: '+15550000002', Timeout: 'long' }, /integer/],
    ['a word it does not know', { To: '+1', From: '+1', StatusCallbackMethod: 'PATCH' }, /allowedValues/],
  ])('names %s', (_what, fields, fault) => {
    expect(document?.requestFaults({ ...dial, form: new URLSearchParams(fields) }).join()).toMatch(fault);
  });

  test('reports an unknown query parameter and an unknown operation', () => {
    const get = { method: 'GET', form: new URLSearchParams() } as const;
    const query = new URLSearchParams({ Colour: 'red' });
    expect(document?.requestFaults({ ...get, path: `${account}/Calls.json`, query })).toHaveLength(1);
    expect(document?.requestFaults({ ...get, path: `${account}/Colours.json`, query })).toHaveLength(1);
  });

  test("checks the stand-in's answers", () => {
    const faults = document?.resourceFaults('api.v2010.account.call', { sid: 'CA1', colour: 'red' }).join();
    expect(faults).toMatch(/sid.*pattern/);
    expect(faults).toMatch(/colour/);
  });
});
