import { once } from 'node:events';
import http from 'node:http';
import express, { type Response } from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { LongAnswers, type Pace } from './long-answers.ts';
import { sendLines } from './send-lines.ts';
import { streamJson } from './stream-json.ts';

const piece = 'x'.repeat(1024 * 1024);

async function* forever<Value>(value: Value): AsyncGenerator<Value> {
  for (;;) yield value;
}

const answers: Record<string, (res: Response, pace: Pace) => Promise<unknown>> = {
  JSON: (res, pace) => streamJson(res, forever(piece), pace),
  'a table': (res, pace) => {
    const rows = { columns: ['text'], batches: forever([{ text: piece }]) };
    return sendLines(res, { rows, format: 'csv', fileName: 'rows', pace, inTurn: (read) => read() });
  },
};

test.each(Object.entries(answers))(
  'a caller that disconnects while %s waits for its pace releases its slot at once',
  async (_, answer) => {
    const waits = Promise.withResolvers<void>();
    const longAnswers = new LongAnswers({
      now: () => 0,
      // Ends only when the caller has gone.
      wait: async (_ms, gone) => {
        waits.resolve();
        if (!gone.aborted) await once(gone, 'abort');
      },
    });
    const key = { organizationId: 'a', purpose: 'read' } as const;
    const over = Promise.withResolvers<void>();
    const app = express().get('/', async (_req, res) => {
      await longAnswers.within(key, (pace) => answer(res, pace));
      over.resolve();
    });
    const server = app.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const request = http.get({ port: address.port, host: '127.0.0.1' });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    response.on('error', () => undefined);
    await waits.promise;
    request.destroy();
    await over.promise;
    for (let at = 0; at < 4; at++) void longAnswers.within(key, () => new Promise(() => undefined));
    await expect(longAnswers.within(key, async () => undefined)).rejects.toMatchObject({ status: 429 });
  },
);
