import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readAgentVoice } from '@outdial/contracts';
import { onTestFinished } from 'vitest';
import { type ServerOptions, WebSocketServer } from 'ws';
import type { ConversationParts } from '../conversation/create-conversation.ts';

/** The parts of a conversation of a realtime agent. */
export function realtimeParts(
  llm: { endpoint: string; model?: string; fallbacks?: string[] } = { endpoint: 'one' },
): Omit<ConversationParts, 'model'> {
  const read = readAgentVoice({ voice: { mode: 'realtime', llm } }, null);
  if (read.kind !== 'voice') throw new Error('the voice is not right');
  return {
    agent: { prompt: 'You are Ada.', mitigation: '', harmfulIntents: [] },
    voice: read.voice,
    promptParams: {},
    tools: [],
    note: () => undefined,
    onFault: () => undefined,
  };
}

/** A websocket server that closes after its test, once everything that the test opened later is closed. */
export async function openModelServer(
  options: Pick<ServerOptions, 'verifyClient'> = {},
): Promise<{ server: WebSocketServer; url: string }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options });
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const client of server.clients) client.terminate();
    server.close();
    await once(server, 'close');
  });
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}/v1` };
}
