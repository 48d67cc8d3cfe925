import { describe, expect, test } from 'vitest';
import { isConnectionFailure } from './connection-failure.ts';

const withCode = (code: string) => Object.assign(new Error('said the driver'), { code });

describe('isConnectionFailure', () => {
  test.each([
    withCode('ECONNREFUSED'),
    withCode('57P01'),
    withCode('08006'),
    new Error('Connection terminated unexpectedly'),
    new Error('Client has encountered a connection error and is not queryable'),
    new Error('Connection is closed.'),
    new Error('timeout expired'),
    new Error('timeout exceeded when trying to connect'),
    new AggregateError([withCode('ECONNREFUSED')]),
  ])('%s is one', (error) => {
    expect(isConnectionFailure(error)).toBe(true);
  });

  test.each([
    withCode('23505'),
    new Error('Missing lock for job 7. moveToFinished'),
    'ECONNREFUSED',
    undefined,
  ])('%s is none', (error) => {
    expect(isConnectionFailure(error)).toBe(false);
  });
});
