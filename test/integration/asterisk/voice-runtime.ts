import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';

/** A voice runtime that echoes what it hears. */
export interface VoiceRuntime {
  url: string;
  /** The calls that were handed to it. */
  calls(): Array<string | null>;
  open(): number;
  /** The loudest sample that it has heard. */
  loudest(): number;
}

export async function startRuntime(options: { hangsUpAfterFrames?: number }): Promise<VoiceRuntime> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  const calls: Array<string | null> = [];
  let loudest = 0;
  server.on('connection', (socket, request) => {
    calls.push(new URL(request.url ?? '', 'ws://runtime').searchParams.get('call_id'));
    let frames = 0;
    socket.on('message', (data, isBinary) => {
      if (!isBinary) return;
      frames += 1;
      for (const sample of data as Buffer) loudest = Math.max(loudest, loudness(sample));
      socket.send(data);
      if (frames === options.hangsUpAfterFrames) socket.close();
    });
  });
  onTestFinished(async () => {
    for (const client of server.clients) client.terminate();
    server.close();
    await once(server, 'close');
  });
  return {
    url: `ws://127.0.0.1:${port}/media`,
    calls: () => calls,
    open: () => server.clients.size,
    loudest: () => loudest,
  };
}

/** The amplitude of a µ-law sample (ITU-T G.711). */
function loudness(byte: number): number {
  const inverted = ~byte & 0xff;
  return ((((inverted & 0x0f) << 3) + 0x84) << ((inverted >> 4) & 7)) - 0x84;
}
