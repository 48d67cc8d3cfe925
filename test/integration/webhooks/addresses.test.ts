import { expect, test } from 'vitest';
import { webhookWorld } from './world.ts';

const world = await webhookWorld({ allowPrivateTargets: false });

// The list of what is public has tests of its own, `public-address.test.ts`.
test.each(['127.0.0.1', 'localhost', '[::1]', '2130706433'])(
  'sends nothing to %s: it is not public',
  async (host) => {
    const { receiver } = await world.endpoint();
    const { port } = new URL(receiver.url);
    const { happened, deliver, deliveries } = await world.endpoint({ url: `http://${host}:${port}/outdial` });
    await happened({ type: 'call.ended' });
    await deliver();
    expect(await deliveries()).toMatchObject([
      { status: 'pending', error: 'the host leads to an address that is not public' },
    ]);
    expect(receiver.headers).toEqual([]);
  },
);
