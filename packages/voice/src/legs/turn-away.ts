import type { WebSocket } from 'ws';

/** For the other side of a connection that was turned away. */
const closeWithinMs = 2_000;

/** One that is not read does not hear that the other side closes as well; one that does not close is cut off. */
export function turnAway(socket: WebSocket): void {
  socket.resume();
  socket.close();
  const cut = setTimeout(() => socket.terminate(), closeWithinMs).unref();
  socket.once('close', () => clearTimeout(cut));
}
