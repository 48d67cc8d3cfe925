import { expect, test } from 'vitest';
import { createMediaWatch } from './media-watch.ts';
import { mediaChannelOf, transferChannelOf } from './names.ts';

const callId = '01a1fce7-b436-7c20-85c5-965289368ec1';

/** Polls with these channels, and returns which calls the watch ended. */
async function polled(...polls: ReadonlyArray<readonly string[]>): Promise<string[]> {
  const ended: string[] = [];
  const watch = createMediaWatch({
    joined: () => [callId],
    mediaGone: async (id) => void ended.push(id),
  });
  for (const ids of polls) {
    await watch.check({ applications: [], channels: ids.map((id) => ({ id, state: 'Up' })) });
  }
  return ended;
}

test('ends a call whose runtime has hung up, although no event reported it', async () => {
  const [media, target] = [mediaChannelOf(callId), transferChannelOf(callId)];
  expect(await polled([callId, media], [callId], [callId])).toEqual([callId]);
  // The event may be on its way.
  expect(await polled([callId, media], [callId])).toEqual([]);
  expect(await polled([callId], [callId, media], [callId])).toEqual([]);
  // The person talks with the target of a transfer.
  expect(await polled([callId, target], [callId, target], [callId, target])).toEqual([]);
  expect(await polled([callId, target], [callId], [callId])).toEqual([callId]);
  // The call is over.
  expect(await polled([], [], [])).toEqual([]);
});
