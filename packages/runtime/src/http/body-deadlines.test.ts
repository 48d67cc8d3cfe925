import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connected } from './connection.fixture.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

async function serve(listener: RequestListener, sent: string) {
  const seen = Promise.withResolvers<void>();
  const { socket } = await connected((request, response) => {
    listener(request, response);
    seen.resolve();
  }, sent);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await seen.promise;
  return { socket, answer: async () => (await once(socket, 'close'), text) };
}

const post = (length: number, body = '') =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${body}`;
const read: RequestListener = (request, response) => {
  request.on('error', () => undefined);
  request.resume().on('end', () => response.end('taken'));
};

describe('a body', () => {
  test('that does not come is a 408 after ten seconds', async () => {
    const { answer } = await serve(read, post(5));
    vi.advanceTimersByTime(9_000);
    const text = answer();
    vi.advanceTimersByTime(1_000);
    expect(await text).toMatch(/^HTTP\/1\.1 408 .*"code":"body_too_slow"\}$/s);
  });

  test('that comes may take as long as its size allows', async () => {
    const { socket, answer } = await serve(read, post(1_000_000, 'x'.repeat(999_999)));
    const text = answer();
    const answered = once(socket, 'data');
    socket.write('x');
    await answered;
    // Nothing is left to wait for.
    vi.advanceTimersByTime(60_000);
    socket.end();
    expect(await text).toMatch(/^HTTP\/1\.1 200 .*taken/s);
  });

  test('that the handler does not read is not late', async () => {
    const { socket, answer } = await serve(
      (request, response) => {
        request.once('readable', () => response.writeHead(200).write('has come;'));
      },
      post(5, 'half'),
    );
    await once(socket, 'data');
    vi.advanceTimersByTime(60_000);
    socket.end();
    expect(await answer()).toContain('has come;');
  });
});
