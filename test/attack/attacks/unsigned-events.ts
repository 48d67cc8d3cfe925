import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { gateways } from '../world.ts';

const bodyBytes = 1024 * 1024;
/** Few enough that a busy machine reads all that they send before it cuts the first. */
const connections = 40;
/** Sixteen bodies, and one whose last piece is on its way. */
const heldAtMost = 17;

export const unsignedEvents: Attack = {
  name: 'unsigned-events',
  does: 'a stranger sends a mebibyte to the events of a gateway in each of 40 connections, all but the last byte',
  async begin({ api }) {
    const { hostname, port } = new URL(api.url);
    const almost = Buffer.alloc(bodyBytes - 1, 'x');
    const open = new Set<Socket>();

    async function send(): Promise<void> {
      const socket = connect(Number(port), hostname);
      open.add(socket);
      socket.on('error', () => undefined);
      // Otherwise the end of the connection would not be noticed.
      socket.resume();
      socket.once('close', () => open.delete(socket));
      socket.write(
        `POST /provider-events/${gateways.attackers.name} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bodyBytes}\r\n` +
          'webhook-id: a\r\nwebhook-timestamp: 1\r\nwebhook-signature: v1,a\r\n\r\n',
      );
      await new Promise<void>((resolve) => {
        socket.once('close', resolve);
        socket.write(almost, () => resolve());
      });
    }
    return {
      send,
      async figures() {
        for (const socket of open) socket.destroy();
        for (let at = 0; at < connections; at++) await send();
        // A busy machine reads what was sent later. After ten seconds without the last byte, every body is cut.
        const waitUntil = performance.now() + 5_000;
        while (open.size > heldAtMost && performance.now() < waitUntil) await sleep(100);
        const held = open.size;
        for (const socket of open) socket.destroy();
        return [
          { what: 'bodies held without a signature', measured: held, unit: 'requests', atMost: heldAtMost },
        ];
      },
    };
  },
  isLight: true,
  perSecond: 10,
  withoutProtection: [
    {
      file: 'api/src/routes/provider-events/unsigned-bodies.ts',
      find: 'const bytesTogether = 16 * 1024 * 1024;',
      replace: 'const bytesTogether = 16 * 1024 * 1024 * 1024;',
    },
  ],
};
