import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../embedded-postgres/free-port.ts';
import { requireRedis } from './redis-reachable.ts';

const settings = { kind: 'redis', prefix: 'outdial', cluster: false } as const;

test('one Sentinel that listens is enough, and without any the start fails with each reason', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  const nobody = { host: '127.0.0.1', port: await freePort() };
  const url = `redis://127.0.0.1:${nobody.port}`;
  const at = (...hosts: Array<typeof nobody>) =>
    requireRedis({ ...settings, url, sentinel: { name: 'main', hosts } });
  await expect(at(nobody, { host: '127.0.0.1', port })).resolves.toBeUndefined();
  await expect(at(nobody, nobody)).rejects.toThrow('cannot be reached (ECONNREFUSED, ECONNREFUSED)');
  await expect(requireRedis({ ...settings, url })).rejects.toThrow('cannot be reached (ECONNREFUSED)');
  await expect(requireRedis({ ...settings, url: `redis://127.0.0.1:${port}` })).resolves.toBeUndefined();
});
