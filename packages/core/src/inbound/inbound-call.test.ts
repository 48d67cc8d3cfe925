import { expect, test } from 'vitest';
import {
  agentThatAnswers,
  numberFromCarrier,
  ownerOfNumber,
  paramsOfInboundCall,
  refusalOfFurtherCall,
} from './inbound-call.ts';

const number = (
  organizationId: string,
  {
    isRetired = false,
    added = 1,
    reached = 0,
  }: { isRetired?: boolean; added?: number; reached?: number } = {},
) => ({
  callerId: `of ${organizationId}`,
  organizationId,
  addedAt: new Date(added),
  isRetired,
  reachedAt: reached === 0 ? null : new Date(reached),
});
const answeredBy = (...owned: ReadonlyArray<ReturnType<typeof number>>) => [
  ownerOfNumber(owned)?.organizationId,
  ownerOfNumber(owned.toReversed())?.organizationId,
];

test('a number is answered by the organization that has it', () => {
  expect(ownerOfNumber([])).toBeNull();
  expect(answeredBy(number('a'))).toEqual(['a', 'a']);
});

test('of several organizations with the number, the one that last reached the person from it answers, unless it has retired the number', () => {
  expect(answeredBy(number('a'), number('b', { added: 2, reached: 5 }))).toEqual(['b', 'b']);
  expect(answeredBy(number('a', { reached: 6 }), number('b', { reached: 5 }))).toEqual(['a', 'a']);
  expect(answeredBy(number('a', { isRetired: true, reached: 6 }), number('b'))).toEqual(['b', 'b']);
});

test('other callers reach the organization that added the number first: a later one cannot take it', () => {
  expect(answeredBy(number('a'), number('b', { added: 2 }))).toEqual(['a', 'a']);
  expect(answeredBy(number('a', { isRetired: true }), number('b', { added: 2 }))).toEqual(['b', 'b']);
  const retired = [number('a', { isRetired: true }), number('b', { isRetired: true, added: 2 })];
  expect(answeredBy(...retired)).toEqual(['a', 'a']);
});

test('the agent that last called the person answers, otherwise that of the number, otherwise none', () => {
  const last = { agentId: 'last', canTalk: true };
  const own = { agentId: 'own', canTalk: true };
  expect(agentThatAnswers({ lastCalledBy: last, ownOfNumber: own })).toBe(last);
  expect(agentThatAnswers({ lastCalledBy: null, ownOfNumber: own })).toBe(own);
  expect(agentThatAnswers({ lastCalledBy: { ...last, canTalk: false }, ownOfNumber: own })).toBe(own);
  expect(agentThatAnswers({ lastCalledBy: last, ownOfNumber: null })).toBe(last);
  expect(agentThatAnswers({ lastCalledBy: null, ownOfNumber: { ...own, canTalk: false } })).toBeNull();
  expect(agentThatAnswers({ lastCalledBy: null, ownOfNumber: null })).toBeNull();
});

test('a call beyond several limits is refused for the first of them', () => {
  const limits = { ofCallerPerHour: 2, toNumberPerHour: 5, atATime: 3 };
  const judge = (ofCallerInHour: number, toNumberInHour: number, now: number) =>
    refusalOfFurtherCall({ ofCallerInHour, toNumberInHour, now }, limits);
  expect(judge(1, 4, 2)).toBeNull();
  expect(judge(2, 4, 2)).toBe('caller_rate');
  expect(judge(1, 5, 2)).toBe('number_rate');
  expect(judge(1, 4, 3)).toBe('too_many_inbound_calls');
});

test.each([
  ['+12125550100', '+12125550100'],
  ['12125550100', '+12125550100'],
  ['anonymous', null],
  ['', null],
  [null, null],
  ['02012345678', null],
  ['+0123456789', null],
  ['+1234567890123456', null],
])('a carrier says %j', (said, is) => {
  expect(numberFromCarrier(said)).toBe(is);
});

test('the prompt gets every value in any case, and a summary of bounded length', () => {
  const calledNumber = '+15550001111';
  expect(paramsOfInboundCall({ calledNumber, callerNumber: null, earlier: null })).toEqual({
    called_number: calledNumber,
    caller_number: '',
    last_call_at: '',
    last_call_outcome: '',
    last_call_summary: '',
  });
  const at = new Date('2027-03-01T14:00:00Z');
  const earlier = {
    at,
    outcome: 'no_answer',
    summary: 'x'.repeat(3_000),
    promptParams: { name: 'Jo', called_number: 'no' },
  };
  const params = paramsOfInboundCall({ calledNumber, callerNumber: '+12125550100', earlier });
  expect(params).toMatchObject({ name: 'Jo', called_number: calledNumber, last_call_at: at.toISOString() });
  expect(params['last_call_summary']).toHaveLength(2_000);
});
