import type { WebSocket } from 'ws';

const closeWithinMs = 2_000;

/** Closes a connection, and terminates it if the other side does not close in time. */
export function rejectSocket(socket: WebSocket): void {
  // A paused socket never sees the other side close.
  socket.resume();
  socket.close();
  const late = setTimeout(() => socket.terminate(), closeWithinMs).unref();
  socket.once('close', () => clearTimeout(late));
}
