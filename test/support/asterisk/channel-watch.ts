import { once } from 'node:events';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { RunningAsterisk } from './start-asterisk.ts';

const channelEvent = z.object({
  type: z.enum(['ChannelCreated', 'ChannelDestroyed']),
  channel: z.object({ id: z.string() }),
});
const callId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the events of an Asterisk's channels, independently of the adapter. */
export interface ChannelWatch {
  taken(): string[];
  live(): number;
  mostAtOnce(): number;
  close(): void;
}

export async function watchChannels(
  asterisk: Pick<RunningAsterisk, 'url' | 'user' | 'password' | 'ari'>,
): Promise<ChannelWatch> {
  const taken = new Set<string>();
  const live = new Set<string>();
  let mostAtOnce = 0;
  const url = `${asterisk.url.replace(/^http/, 'ws')}/ari/events?app=watch`;
  const socket = new WebSocket(url, { auth: `${asterisk.user}:${asterisk.password}` });
  socket.on('message', (data) => {
    const read = channelEvent.safeParse(JSON.parse((data as Buffer).toString('utf8')));
    if (!read.success || !callId.test(read.data.channel.id)) return;
    const { id } = read.data.channel;
    if (read.data.type === 'ChannelDestroyed') return void live.delete(id);
    taken.add(id);
    live.add(id);
    mostAtOnce = Math.max(mostAtOnce, live.size);
  });
  // The connection breaks if a test ends the Asterisk.
  socket.on('error', () => undefined);
  socket.on('close', () => live.clear());
  await once(socket, 'open');
  // Subscribes like the adapter, because `subscribeAll` can hang an Asterisk.
  const answer = await asterisk.ari('POST', '/applications/watch/subscription?eventSource=channel:');
  if (answer?.status !== 200) throw new Error('Asterisk refused the subscription to channel events');
  return {
    taken: () => [...taken],
    live: () => live.size,
    mostAtOnce: () => mostAtOnce,
    close: () => socket.terminate(),
  };
}
