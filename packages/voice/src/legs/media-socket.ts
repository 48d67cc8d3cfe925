import type { WebSocket } from 'ws';

/** The websocket of one call. */
export interface MediaSocket {
  isGone(): boolean;
  /** The other side has left. Safe to repeat. */
  gone(): void;
  /** Nothing is sent to a peer that does not read: the call is of no use to it then. */
  send(data: Uint8Array | string): void;
  tell(message: object): void;
}

/** @param options `unsentBytes`: of a peer that still reads, at most. `onGone`: called once */
export function mediaSocket(
  socket: WebSocket,
  options: { unsentBytes: number; onGone: () => void },
): MediaSocket {
  let isGone = false;

  function gone(): void {
    if (isGone) return;
    isGone = true;
    options.onGone();
  }

  function send(data: Uint8Array | string): void {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount <= options.unsentBytes) socket.send(data);
  }

  socket.on('close', gone);
  // A broken connection closes next.
  socket.on('error', () => undefined);
  return { isGone: () => isGone, gone, send, tell: (message) => send(JSON.stringify(message)) };
}
