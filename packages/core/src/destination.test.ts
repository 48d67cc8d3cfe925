import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, test } from 'vitest';
import { type DestinationRules, judgeDestination } from './destination.ts';
import { numberingPlan } from './numbering-plan.ts';

const anywhere: DestinationRules = { allowedCountries: null, allowedSpecial: [] };

function judge(number: string, rules: Partial<DestinationRules> = {}): string {
  const judged = judgeDestination(number, { ...anywhere, ...rules });
  return judged.kind === 'allowed' ? 'allowed' : judged.reason;
}

describe('without rules of an organization', () => {
  test.each([
    '+15551230000',
    '+15555551212',
    '+14155552671',
    '+15559999999',
    '+12125550199',
    '+442079460000',
    '+4930123456',
    '+4915123456789',
    '+8613800138000',
    '+80012345678',
  ])('%s is allowed', (number) => {
    expect(judge(number)).toBe('allowed');
  });

  test.each([
    ['+19002345678', 'premium'],
    ['+4490912345678'.slice(0, 13), 'premium'],
    ['+499001234567', 'premium'],
    ['+979123456789', 'premium'],
    ['+80812345678', 'shared_cost'],
    ['+491803123456', 'shared_cost'],
    ['+4913712345', 'shared_cost'],
    ['+491371234567', 'shared_cost'],
    ['+34905123456', 'shared_cost'],
    ['+39199123456', 'shared_cost'],
    ['+31841234567', 'personal'],
    ['+39895123456', 'premium'],
    ['+39178123456', 'personal'],
    ['+34907123456', 'premium'],
    ['+44905123456', 'premium'],
    ['+448451234567', 'shared_cost'],
    ['+49190012345', 'premium'],
    ['+49700123456', 'personal'],
    ['+3277123456', 'premium'],
    ['+351707123456', 'shared_cost'],
    ['+8260123456789', 'premium'],
    ['+12129761234', 'premium'],
    ['+447012345678', 'personal'],
    ['+447612345678', 'personal'],
    ['+81570123456', 'shared_cost'],
    // Neither premium nor service numbers become fiction by an exchange of 555.
    ['+19005551234', 'premium'],
    ['+19005550123', 'premium'],
    ['+12125551212', 'emergency'],
    ['+19195554334', 'emergency'],
    ['+881612345678', 'satellite'],
    ['+870773123456', 'satellite'],
    ['+19112340000', 'emergency'],
    ['+19115551234', 'emergency'],
    ['+123456789', 'impossible'],
    ['+99912345678', 'impossible'],
    ['+4901713920014', 'trunk_zero'],
    ['+4407400123456', 'trunk_zero'],
    // Poland has no such zero, and Italy none in mobile numbers.
    ['+480601123456', 'trunk_zero'],
    ['+3903331234567', 'trunk_zero'],
    ['+441234', 'impossible'],
  ])('%s is %s', (number, reason) => {
    expect(judge(number)).toBe(reason);
  });

  test('the mobile numbers of every country are allowed', () => {
    const numbers = getCountries().map((country) => `+${getCountryCallingCode(country)}${examples[country]}`);
    expect(numbers.filter((number) => judge(number) !== 'allowed')).toEqual([]);
  });

  test('allows the numbers that the operator allows', () => {
    expect(judge('+881612345678', { allowedSpecial: ['satellite'] })).toBe('allowed');
    expect(judge('+19002345678', { allowedSpecial: ['satellite'] })).toBe('premium');
  });
});

describe('with allowed countries', () => {
  const northAmerica = { allowedCountries: ['US', 'CA'] };

  test.each([
    ['+12125550199', 'allowed'],
    ['+12124567890', 'allowed'],
    ['+14165671234', 'allowed'],
    // Jamaica and the Bahamas share the code +1.
    ['+18765671234', 'country_not_allowed'],
    ['+12423591234', 'country_not_allowed'],
    ['+18765550123', 'country_not_allowed'],
    ['+18765551234', 'country_not_allowed'],
    ['+15551230000', 'allowed'],
    ['+442079460000', 'country_not_allowed'],
    ['+80012345678', 'country_not_allowed'],
  ])('%s is %s from the United States and Canada', (number, expected) => {
    expect(judge(number, northAmerica)).toBe(expected);
  });

  test('numbers of one country of a shared code', () => {
    expect(judge('+14165671234', { allowedCountries: ['US'] })).toBe('country_not_allowed');
    expect(judge('+77012345678', { allowedCountries: ['KZ'] })).toBe('allowed');
    expect(judge('+79161234567', { allowedCountries: ['KZ'] })).toBe('country_not_allowed');
    expect(judge('+15551230000', { allowedCountries: ['KZ'] })).toBe('country_not_allowed');
  });
});

test('builds the plan of a calling code once, so that a million numbers take seconds', () => {
  expect(numberingPlan('1')).not.toBeNull();
  expect(numberingPlan('1')).toBe(numberingPlan('1'));
});
