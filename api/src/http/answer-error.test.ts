import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { afterAll, expect, test } from 'vitest';
import { answerError } from './answer-error.ts';

const thrown: { error: Error } = { error: new Error() };
const app = express();
app.get('/', () => {
  throw thrown.error;
});
app.use(answerError);
const server = createServer(app).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());

async function statusFor(error: Error): Promise<number> {
  thrown.error = error;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return (await fetch(`http://127.0.0.1:${port}/`)).status;
}

test.each([
  new Error('timeout exceeded when trying to connect'),
  new Error('timeout expired'),
  new Error('Connection terminated unexpectedly'),
  new Error('Client has encountered a connection error and is not queryable'),
  Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' }),
  Object.assign(new Error('too many clients'), { code: '53300' }),
])('a database that cannot be reached is a 503: %s', async (error) => {
  expect(await statusFor(error)).toBe(503);
});

test('any other error is a 500', async () => {
  expect(await statusFor(new Error('a fault'))).toBe(500);
});
