import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openAudio } from './open-audio.ts';

test('checks the address to which the name resolves when it connects', async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end('audio');
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  const request = {
    url: new URL(`http://localhost:${port}/`),
    headers: {},
    signal: AbortSignal.timeout(20_000),
  };
  await expect(openAudio({ ...request, publicOnly: true })).rejects.toMatchObject({
    code: 'recording_address_refused',
  });
  expect(requests).toBe(0);
  const response = await openAudio({ ...request, publicOnly: false });
  expect(response.statusCode).toBe(200);
  response.destroy();
});
