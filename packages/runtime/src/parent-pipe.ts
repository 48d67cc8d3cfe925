import { Socket } from 'node:net';

/**
 * Calls `onEnd` once when the other end of a pipe closes. A parent holds one end of a pipe to each process that must not outlive it, and the
 * kernel closes that end however the parent dies.
 */
export function whenPipeEnds(fd: number, onEnd: () => void): void {
  const pipe = new Socket({ fd, readable: true, writable: false });
  // A broken pipe emits `close` but not `end`.
  pipe.once('close', onEnd).on('error', () => undefined);
  pipe.resume();
  // The pipe must not keep the process alive.
  pipe.unref();
}
