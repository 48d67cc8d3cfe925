import { expect, test } from 'vitest';
import { webhookWorld } from './world.ts';

const world = await webhookWorld({ allowPrivateTargets: false });

test.each([
  '127.0.0.1',
  'localhost',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  '2130706433',
  '0x7f.1',
  '10.0.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '[fd00::1]',
  '[::127.0.0.1]',
  '[64:ff9b:1::127.0.0.1]',
])('sends nothing to %s: it is not public', async (host) => {
  const { receiver } = await world.endpoint();
  const { port } = new URL(receiver.url);
  const { happened, deliver, deliveries } = await world.endpoint({ url: `http://${host}:${port}/outdial` });
  await happened({ type: 'call.ended' });
  await deliver();
  expect(await deliveries()).toMatchObject([
    { status: 'pending', error: 'the host leads to an address that is not public' },
  ]);
  expect(receiver.headers).toEqual([]);
});
