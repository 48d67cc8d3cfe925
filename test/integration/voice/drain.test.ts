import { expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { openPage, type WebCallWorld, webCallWorld } from './web-world.ts';

/** Drains the process until the signal aborts. Returns whether it is drained. */
async function drain({ voice, stack }: WebCallWorld, signal: AbortSignal) {
  const state = { isDone: false };
  const done = voice.drain(signal).then(() => (state.isDone = true));
  await waitFor('the process to be known to drain', () =>
    stack.db
      .selectFrom('voice_processes' as never)
      .where('draining' as never, '=', true as never)
      .selectAll()
      .executeTakeFirst(),
  );
  return { state, done };
}

test('a process that drains answers the calls that ring, and waits until they are over', async () => {
  const world = await webCallWorld();
  const call = await world.ask();
  const { state, done } = await drain(world, new AbortController().signal);
  expect(state.isDone).toBe(false);
  const page = await openPage(call);
  await waitFor('the greeting', () => page.told.find(({ type }) => type === 'turn'));
  expect(state.isDone).toBe(false);
  page.socket.send(JSON.stringify({ type: 'hang_up' }));
  await done;
  expect(await world.ended(call.call_id)).toMatchObject({ external_last_status: 'person_left' });
});

test('a process that shuts down does not wait for ringing calls', async () => {
  const world = await webCallWorld();
  const call = await world.ask();
  const time = new AbortController();
  const { done } = await drain(world, time.signal);
  time.abort();
  await done;
  await expect(openPage(call)).rejects.toThrow('503');
});

test('a call that was being opened when the process was told to end is cut like the others', async () => {
  const opening = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const world = await webCallWorld(
    {},
    {
      beforeOpening() {
        asked.resolve();
        return opening.promise;
      },
    },
  );
  const call = await world.ask();
  const page = await openPage(call);
  await asked.promise;
  const time = new AbortController();
  const { done } = await drain(world, time.signal);
  time.abort();
  opening.resolve();
  await done;
  await page.closed;
  expect(await world.ended(call.call_id)).toMatchObject({
    status: 'error',
    external_last_status: 'process_ended',
    meta: { outcome: 'failed' },
  });
});
