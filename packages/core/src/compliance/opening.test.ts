import { describe, expect, test } from 'vitest';
import { openingOf, type OpenedCall, type OpeningRules } from './opening.ts';

const none: OpeningRules = { texts: [], recordings: [] };
const call = (over: Partial<OpenedCall> = {}): OpenedCall => ({
  policy: 'none',
  phoneNumber: '+12125550123',
  place: {},
  isAsked: false,
  language: 'en',
  records: false,
  organizationName: 'Acme',
  agentName: 'Ada',
  fromPhone: null,
  ...over,
});
const text = (jurisdiction: string, language: string, said: string) => ({
  jurisdiction,
  language,
  text: said,
});

describe('a call says', () => {
  test('no announcement without a request, under a policy of none', () => {
    expect(openingOf(call(), none)).toEqual({ disclosure: null, recording: null });
  });

  test.each([
    ['the agent asks for it', call({ isAsked: true })],
    ['the policy has it', call({ policy: 'strict' })],
  ])('who calls, with which voice and how to stop, where %s', (_why, of) => {
    const said = openingOf(of, none).disclosure?.text;
    expect(said).toContain('Ada');
    expect(said).toContain('Acme');
    expect(said).toContain('artificial voice');
    expect(said).toContain('no more calls');
  });

  test.each(['en', 'de', 'es', 'fr', 'it', 'nl', 'pt'])(
    'the telephone number of the caller in the built-in text of %s, if it is known',
    (language) => {
      const said = (fromPhone: string | null) =>
        openingOf(call({ policy: 'strict', language, fromPhone }), none).disclosure?.text ?? '';
      expect(said('+12125550199')).toContain('+1 212 555 0199');
      expect(said(null)).not.toMatch(/\{\{|\+|\d/);
      expect(said('+12125550199')).toMatch(new RegExp(`^${said(null).slice(0, 20)}`));
    },
  );

  test('the number in a text of the operator, where it asks for it', () => {
    const texts = [text('*', 'en', 'I am {{agent}}; call {{phone}}.')];
    const said = (fromPhone: string | null) =>
      openingOf(call({ fromPhone }), { texts, recordings: [] }).disclosure?.text;
    expect(said('+442071838750')).toBe('I am Ada; call +44 20 7183 8750.');
  });

  test('is in the language of the agent, or in English without a built-in text', () => {
    const said = (language: string) => openingOf(call({ isAsked: true, language }), none).disclosure?.text;
    expect(said('de-AT')).toContain('künstlichen Stimme');
    expect(said('fi')).toContain('artificial voice');
  });

  test('prefers the text of the state to that of the country, and that to the general one', () => {
    const texts = [
      text('*', 'en', 'Anywhere.'),
      text('US', 'en', 'In the country.'),
      text('US-NY', 'en', 'In New York.'),
    ];
    const said = (phoneNumber: string) =>
      openingOf(call({ phoneNumber }), { texts, recordings: [] }).disclosure?.text;
    expect(said('+12125550123')).toBe('In New York.');
    expect(said('+13125550123')).toBe('In the country.');
    expect(said('+442071838750')).toBe('Anywhere.');
  });

  test('the texts of the place that the caller named and of the number, under the stricter rule about recordings', () => {
    const texts = [text('US-CA', 'en', 'In California.'), text('US-NY', 'en', 'In New York.')];
    const named = call({ policy: 'strict', place: { region: 'US-CA' } });
    expect(openingOf(named, { texts, recordings: [] })).toEqual({
      disclosure: { text: 'In New York. In California.', language: 'en' },
      recording: 'announced',
    });
    expect(openingOf(call({ policy: 'strict' }), none).recording).toBe('on');
  });

  test("the text of the agent's language, even if the agent names another region of it, without values of other people", () => {
    const texts = [text('*', 'es', 'Soy {{agent}}, {{name}}.'), text('*', 'en', 'I am {{agent}}.')];
    const said = openingOf(call({ language: 'es-MX' }), { texts, recordings: [] }).disclosure;
    expect(said).toEqual({ text: 'Soy Ada, {{name}}.', language: 'es-MX' });
  });
});

describe('a recording', () => {
  test('follows the law of the strictest place, under a policy', () => {
    const mode = (phoneNumber: string) =>
      openingOf(call({ policy: 'standard', phoneNumber }), none).recording;
    expect(mode('+12125550123')).toBe('on');
    expect(mode('+12135550123')).toBe('announced');
    expect(mode('+4930123456')).toBe('announced');
  });

  test("follows the operator's setting under every policy", () => {
    const recordings = [{ jurisdiction: 'DE', mode: 'off' as const }];
    const mode = (phoneNumber: string) =>
      openingOf(call({ phoneNumber }), { texts: [], recordings }).recording;
    expect(mode('+4930123456')).toBe('off');
    expect(mode('+12125550123')).toBeNull();
  });

  test('is announced after the disclosure, by agents that record and by no others', () => {
    const of = call({ policy: 'strict', phoneNumber: '+12135550123' });
    expect(openingOf({ ...of, records: true }, none).disclosure?.text).toMatch(
      /no more calls\. This call is recorded\.$/,
    );
    expect(openingOf(of, none).disclosure?.text).not.toContain('recorded');
  });
});
