import type { WebSocket } from 'ws';

/** What a carrier that names the call in a message of its own has said so far. */
export interface NamedConnection<Start> {
  start: Start;
  /** Gives the messages that came meanwhile, and then each one as it comes. To be called once. */
  listen: (onMessage: (text: string) => void) => void;
}

/** A connection that has not said by then which call it is for is closed. */
const startWithinMs = 5_000;
/** Ten seconds of sound. A carrier sends no more before it is listened to. */
const heldAtMost = 500;
const heldBytesAtMost = 262_144;
const longestText = 65_536;

/**
 * Waits for the message that names the call, and buffers later messages until there is a listener. Null if the connection ends, or
 * says something else for too long.
 * @param read gives null for messages that may come before
 */
export function firstMessage<Start>(
  socket: WebSocket,
  read: (text: string) => Start | null,
  withinMs = startWithinMs,
): Promise<NamedConnection<Start> | null> {
  const named = Promise.withResolvers<NamedConnection<Start> | null>();
  let listener: ((text: string) => void) | null = null;
  let start: Start | null = null;
  const held: string[] = [];
  let heldBytes = 0;
  let before = 0;
  let isGivenUp = false;

  const giveUp = () => {
    isGivenUp = true;
    named.resolve(null);
  };
  const late = setTimeout(giveUp, withinMs);
  socket.once('close', giveUp);
  void named.promise.finally(() => clearTimeout(late));

  socket.on('message', (data, isBinary) => {
    if (isBinary || !Buffer.isBuffer(data) || data.length > longestText) return;
    const text = data.toString('utf8');
    if (listener !== null) return listener(text);
    // Of a connection that we have closed nothing is kept, however long the other side goes on.
    if (isGivenUp || socket.readyState !== socket.OPEN) return;
    if (start !== null) {
      if (held.length >= heldAtMost || heldBytes + data.length > heldBytesAtMost) return;
      heldBytes += data.length;
      held.push(text);
      return;
    }
    start = read(text);
    before += 1;
    if (start === null) {
      if (before > heldAtMost) giveUp();
      return;
    }
    named.resolve({
      start,
      listen(onMessage) {
        for (const each of held.splice(0)) onMessage(each);
        listener = onMessage;
      },
    });
  });
  return named.promise;
}

/** The value of a JSON text; null if it is none. */
export function parsedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}
