import { Socket } from 'node:net';

/**
 * Calls `onEnd` once when the other end of a pipe is closed. A process keeps one end of a pipe to each process that must not outlive it: the
 * system closes that end however the process dies.
 */
export function whenPipeEnds(fd: number, onEnd: () => void): void {
  const pipe = new Socket({ fd, readable: true, writable: false });
  // `end` is not told of a pipe that breaks, and `close` is told in any case.
  pipe.once('close', onEnd).on('error', () => undefined);
  pipe.resume();
  // A program that has nothing left to do ends.
  pipe.unref();
}
