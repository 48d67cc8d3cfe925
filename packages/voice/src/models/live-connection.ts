import { WebSocket } from 'ws';
import type { LiveProtocol } from './live-protocols.ts';
import { isRefusal, RequestRefusedError } from './refusal.ts';
import { Transcriptions } from './transcriptions.ts';

/** A connection on which a recognizer hears the person while they speak. */
export interface LiveConnection {
  hear(bytes: Uint8Array): void;
  /** Ends the utterance. Rejects if its words do not come. */
  finish(signal: AbortSignal): Promise<string>;
  close(): void;
}

const openMs = 5_000;
const longestMessage = 1_048_576;
/** Beyond this, the server has stopped reading. It is more than the longest utterance. */
const unsentBytes = 1_048_576;
const keepAliveMs = 5_000;

/** @param on `failed` is called at most once, and not if we close the connection */
export function openLiveConnection(
  protocol: LiveProtocol,
  on: { partial: (text: string) => void; failed: (error: Error) => void },
): LiveConnection {
  const socket = new WebSocket(protocol.url, {
    headers: protocol.headers,
    handshakeTimeout: openMs,
    maxPayload: longestMessage,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const transcriptions = new Transcriptions();
  let failure: Error | null = null;
  let waiting: Array<Uint8Array | string> | null = [];
  let waitingBytes = 0;
  let unfinished = 0;
  const late = setTimeout(() => fail(new Error('the recognizer was not ready in time')), openMs);
  const alive = setInterval(() => {
    if (protocol.keepAlive !== null && waiting === null) send(JSON.stringify(protocol.keepAlive));
  }, keepAliveMs);

  function stop(error: Error): void {
    failure = error;
    clearTimeout(late);
    clearInterval(alive);
    transcriptions.fail(error);
    socket.terminate();
  }

  function fail(error: Error): void {
    if (failure !== null) return;
    stop(error);
    on.failed(error);
  }

  function send(message: Uint8Array | string): void {
    if (failure !== null) return;
    if (waiting !== null) {
      waiting.push(message);
      waitingBytes += message.length;
    } else socket.send(message);
    const unsent = socket.bufferedAmount + waitingBytes;
    if (unsent > unsentBytes) fail(new Error('the recognizer has stopped reading'));
  }

  function ready(): void {
    clearTimeout(late);
    const first = waiting ?? [];
    waiting = null;
    waitingBytes = 0;
    for (const message of first) send(message);
  }

  socket.on('open', () => {
    if (protocol.begin === null) ready();
    else socket.send(JSON.stringify(protocol.begin));
  });
  socket.on('message', (data, isBinary) => {
    if (isBinary || !Buffer.isBuffer(data) || failure !== null) return;
    for (const heard of protocol.read(data.toString('utf8'))) {
      if (heard.kind === 'ready') ready();
      if (heard.kind === 'failed') fail(new RequestRefusedError('the recognizer has refused'));
      if (heard.kind === 'committed') transcriptions.committed(heard.item);
      if (heard.kind === 'transcript') transcriptions.transcribed(heard.item, heard.text);
      // Words of an utterance that has ended come with its transcript.
      if (heard.kind === 'partial' && unfinished === 0) on.partial(heard.text);
    }
  });
  socket.on('error', (error) => fail(error));
  socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
    const message = `the recognizer answered with ${statusCode}`;
    fail(isRefusal(statusCode) ? new RequestRefusedError(message) : new Error(message));
  });
  socket.on('close', () => fail(new Error('the recognizer broke off')));

  return {
    hear: (bytes) => send(protocol.sound(bytes)),
    async finish(signal) {
      if (failure !== null) throw failure;
      unfinished += 1;
      const words = transcriptions.next(signal);
      send(JSON.stringify(protocol.finish));
      const text = await words.finally(() => (unfinished -= 1));
      if (text === null) throw new Error('the recognizer has no words for an utterance');
      return text;
    },
    close() {
      if (failure === null) stop(new Error('the connection was closed'));
    },
  };
}
