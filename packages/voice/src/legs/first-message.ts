import type { WebSocket } from 'ws';

/** A connection whose first message has named its call. */
export interface IdentifiedConnection<Start> {
  start: Start;
  /** Delivers the messages received so far, and then each new one. Call it once. */
  listen: (onMessage: (text: string) => void) => void;
}

const startWithinMs = 5_000;
/** Ten seconds of audio. The call listens sooner than that. */
const bufferedAtMost = 500;
const bufferedBytesAtMost = 262_144;
const longestText = 65_536;

/**
 * Waits for the message that names the call, and buffers later messages until there is a listener. Null if the connection closes, or
 * if no such message comes in time.
 * @param read returns null for other messages
 */
export function firstMessage<Start>(
  socket: WebSocket,
  read: (text: string) => Start | null,
  withinMs = startWithinMs,
): Promise<IdentifiedConnection<Start> | null> {
  const identified = Promise.withResolvers<IdentifiedConnection<Start> | null>();
  let listener: ((text: string) => void) | null = null;
  let start: Start | null = null;
  const buffered: string[] = [];
  let bufferedBytes = 0;
  let otherMessages = 0;
  let hasGivenUp = false;

  const giveUp = () => {
    hasGivenUp = true;
    identified.resolve(null);
  };
  const late = setTimeout(giveUp, withinMs);
  socket.once('close', giveUp);
  void identified.promise.finally(() => clearTimeout(late));

  socket.on('message', (data, isBinary) => {
    if (isBinary || !Buffer.isBuffer(data) || data.length > longestText) return;
    const text = data.toString('utf8');
    if (listener !== null) return listener(text);
    // The other side may keep sending after we have closed the connection.
    if (hasGivenUp || socket.readyState !== socket.OPEN) return;
    if (start !== null) {
      if (buffered.length >= bufferedAtMost || bufferedBytes + data.length > bufferedBytesAtMost) return;
      bufferedBytes += data.length;
      buffered.push(text);
      return;
    }
    start = read(text);
    if (start === null) {
      otherMessages += 1;
      if (otherMessages > bufferedAtMost) giveUp();
      return;
    }
    identified.resolve({
      start,
      listen(onMessage) {
        for (const each of buffered.splice(0)) onMessage(each);
        listener = onMessage;
      },
    });
  });
  return identified.promise;
}
