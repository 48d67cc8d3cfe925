import { PassThrough } from 'node:stream';
import type { Request } from 'express';
import { expect, test } from 'vitest';
import { UnsignedBodies } from './unsigned-bodies.ts';

/** A body that comes as the test writes it, with the headers of a signature. */
function comingBody(headers: Record<string, string> = { 'x-signature': 'any' }) {
  const req = Object.assign(new PassThrough(), { headers, complete: false });
  // The reader uses only the stream and these fields of a request.
  return { req: req as unknown as Request, stream: req };
}

function limitedTo(bytesTogether: number) {
  const warned: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void warned.push(line) };
  const bodies = new UnsignedBodies({ log, bytesTogether });
  const provider = { name: 'carrier', signatureHeaders: ['x-signature'] };
  return { read: (req: Request) => bodies.read(req, provider), warned };
}

test('a body without the headers of a signature is refused before it is read', async () => {
  const { read } = limitedTo(100);
  const { req, stream } = comingBody({});
  stream.write('x');
  await expect(read(req)).rejects.toMatchObject({ code: 'bad_signature' });
  expect(stream.readableLength).toBe(1);
});

test('a complete body is returned, and no longer counts', async () => {
  const { read, warned } = limitedTo(10);
  for (const text of ['12345678', 'abcdefgh']) {
    const { req, stream } = comingBody();
    stream.end(text);
    expect(await read(req)).toBe(text);
  }
  expect(warned).toEqual([]);
});

test('if they are too many bytes together, the oldest incomplete one is cut, and the newest is read', async () => {
  const { read, warned } = limitedTo(10);
  const slow = comingBody();
  const cut = read(slow.req);
  slow.stream.write('12345678');
  await expect.poll(() => slow.stream.readableLength).toBe(0);
  const quick = comingBody();
  quick.stream.end('abcdefgh');
  expect(await read(quick.req)).toBe('abcdefgh');
  await expect(cut).rejects.toMatchObject({ code: 'malformed_body' });
  expect(warned).toHaveLength(1);
});
