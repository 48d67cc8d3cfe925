import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** A trunk that delays each audio packet by a different time. */
export interface JitteryTrunk {
  /** The address of the carrier for an Asterisk. */
  sipPort: number;
  /** The planned delays of the audio packets to the Asterisk, in milliseconds. */
  waits(): readonly number[];
  close(): void;
}

const host = '127.0.0.1';
const soundOf = /^m=audio (\d+)/m;

/**
 * Relays SIP and RTP between an Asterisk and its carrier. Delays each audio packet of the carrier by up to `jitterMs`, without reordering. Rewrites
 * the SDP so that audio passes through this relay. Requests within a call bypass it, because they go to the contacts of both sides.
 */
export async function startJitteryTrunk(args: {
  carrierPort: number;
  jitterMs: number;
}): Promise<JitteryTrunk> {
  const sockets: Socket[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const waits: number[] = [];
  /** The audio relays by call id. */
  const relays = new Map<string, Promise<SoundRelay>>();
  let ownPort = 0;

  async function open(): Promise<Socket> {
    const socket = createSocket('udp4');
    sockets.push(socket);
    socket.bind(0, host);
    await once(socket, 'listening');
    return socket;
  }

  async function relaySound(): Promise<SoundRelay> {
    const relay = { toOwn: await open(), toCarrier: await open(), ownPort: 0, carrierPort: 0 };
    let earliest = 0;
    relay.toOwn.on('message', (packet) => {
      if (relay.carrierPort > 0) relay.toCarrier.send(packet, relay.carrierPort, host);
    });
    relay.toCarrier.on('message', (packet) => {
      const cameAt = performance.now();
      earliest = Math.max(earliest, cameAt + Math.random() * args.jitterMs);
      const waitMs = earliest - cameAt;
      const timer = setTimeout(() => {
        timers.delete(timer);
        if (relay.ownPort === 0) return;
        relay.toOwn.send(packet, relay.ownPort, host);
        waits.push(waitMs);
      }, waitMs);
      timers.add(timer);
    });
    return relay;
  }

  /** Stores the audio address of a side, and replaces it with one of this relay. */
  async function throughHere(message: string, from: 'own' | 'carrier'): Promise<string> {
    const port = Number(soundOf.exec(message)?.[1] ?? 0);
    const call = /^Call-ID: (.+)$/im.exec(message)?.[1];
    if (port === 0 || call === undefined) return message;
    const relaying = relays.get(call) ?? relaySound();
    relays.set(call, relaying);
    const relay = await relaying;
    relay[from === 'own' ? 'ownPort' : 'carrierPort'] = port;
    const here = (from === 'own' ? relay.toCarrier : relay.toOwn).address().port;
    const [head = '', body = ''] = message.split('\r\n\r\n');
    const changed = body.replace(soundOf, `m=audio ${here}`);
    return `${head.replace(/^(Content-Length: +)\d+/im, `$1${Buffer.byteLength(changed)}`)}\r\n\r\n${changed}`;
  }

  const facingOwn = await open();
  const facingCarrier = await open();
  facingOwn.on('message', (message, { port }) => {
    ownPort = port;
    void throughHere(message.toString(), 'own').then((sent) =>
      facingCarrier.send(sent, args.carrierPort, host),
    );
  });
  facingCarrier.on('message', (message) => {
    void throughHere(message.toString(), 'carrier').then((sent) => facingOwn.send(sent, ownPort, host));
  });
  return {
    sipPort: facingOwn.address().port,
    waits: () => waits,
    close() {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.close();
    },
  };
}

/** The audio of one call: a socket and the audio address of each side. */
interface SoundRelay {
  toOwn: Socket;
  toCarrier: Socket;
  ownPort: number;
  carrierPort: number;
}
