import { expect, test } from 'vitest';
import {
  agentThatAnswers,
  numberFromCarrier,
  paramsOfInboundCall,
  refusalOfFurtherCall,
} from './inbound-call.ts';

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
