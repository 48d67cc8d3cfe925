import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';

/** A recognizer of Deepgram's protocol, which takes any sound for the next of these phrases, and tells it while it is spoken. */
export async function liveRecognizer(phrases: readonly string[]) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const client of server.clients) client.terminate();
    server.close();
    await once(server, 'close');
  });
  /** Bytes of sound, for each utterance. */
  const heard: number[] = [];
  let bytes = 0;
  server.on('connection', (socket) => {
    const tell = (flags: object) =>
      socket.send(
        JSON.stringify({
          type: 'Results',
          channel: { alternatives: [{ transcript: phrases[heard.length] ?? '' }] },
          ...flags,
        }),
      );
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        if (bytes === 0) tell({ is_final: false });
        bytes += data.length;
      } else if (data.includes('Finalize')) {
        tell({ is_final: true, from_finalize: true });
        heard.push(bytes);
        bytes = 0;
      }
    });
  });
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}/v1/listen`, heard, connections: () => server.clients.size };
}
