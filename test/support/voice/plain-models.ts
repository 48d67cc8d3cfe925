import { once } from 'node:events';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { voiceLike } from './voice-like.ts';

/** A recognizer that returns the next of these phrases for any audio, and a voice that takes `wordMs` per word. */
export async function plainModels(phrases: readonly string[], wordMs = 150): Promise<{ url: string }> {
  let heard = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      // Without an encoding, the stream emits buffers.
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (request.url === '/v1/audio/transcriptions') {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ text: phrases[heard] ?? '' }));
        heard += 1;
        return;
      }
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string };
      const samples = voiceLike(input.split(/\s+/).length * wordMs, 24_000);
      response.writeHead(200, { 'content-type': 'audio/pcm' }).end(Buffer.from(samples.buffer));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1` };
}
