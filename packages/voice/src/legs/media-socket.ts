import type { WebSocket } from 'ws';

/**
 * The websocket of one call.
 * @param onLeft called once
 * @param unsentBytes beyond which a peer counts as not reading
 */
export function mediaSocket(socket: WebSocket, onLeft: () => void, unsentBytes = 64_000) {
  let hasLeft = false;

  /** Ends the call as if the other side had left. Idempotent. */
  function leave(): void {
    if (hasLeft) return;
    hasLeft = true;
    onLeft();
  }

  /** Drops the message if the peer has stopped reading. */
  function send(data: Uint8Array | string): void {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount <= unsentBytes) socket.send(data);
  }

  socket.on('close', leave);
  // A broken connection emits `close` next.
  socket.on('error', () => undefined);
  return {
    hasLeft: () => hasLeft,
    leave,
    send,
    sendJson: (message: object) => send(JSON.stringify(message)),
  };
}
