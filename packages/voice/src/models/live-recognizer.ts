import type { VoiceEndpoint } from '@outdial/runtime';
import { toMuLaw } from '../audio/mu-law.ts';
import type { ModelEndpoints } from './endpoints.ts';
import { isLive, protocolOf, type LiveProtocol } from './live-protocols.ts';
import { RequestRefusedError, isRefusal } from './refusal.ts';
import { transcribe, type RecognizerSettings } from './speech-to-text.ts';
import { withoutMarks } from './transcript-marks.ts';
import { WebSocket } from 'ws';
import { Transcriptions } from './transcriptions.ts';

/** Recognizes the person of one call, while they speak. */
export interface LiveRecognizer {
  /** More sound of the open utterance. */
  hear(samples: Int16Array): void;
  /** The words of the utterance that has ended. @param samples all of its sound, in case the connection has failed */
  transcribe(samples: Int16Array, signal: AbortSignal): Promise<string>;
  close(): void;
}

/**
 * Connects to the agent's recognizer. If the connection fails, the utterance is sent once more on a new one, and then to the fallbacks that take requests.
 * @returns null if the recognizer takes requests
 */
export function openLiveRecognizer(
  models: ModelEndpoints,
  settings: RecognizerSettings,
  onPartial: (text: string) => void = () => undefined,
): LiveRecognizer | null {
  const [endpoint] = models.all(settings);
  return endpoint === undefined || !isLive(endpoint)
    ? null
    : createLiveRecognizer(models, settings, endpoint, onPartial);
}

function createLiveRecognizer(
  models: ModelEndpoints,
  settings: RecognizerSettings,
  endpoint: VoiceEndpoint,
  onPartial: (text: string) => void,
): LiveRecognizer {
  let isClosed = false;
  let connection: LiveConnection | null = open();

  function open(): LiveConnection | null {
    if (isClosed || models.down().includes(endpoint.name)) return null;
    return openLiveConnection(protocolOf(endpoint, settings.language), {
      partial: (text) => onPartial(withoutMarks(text)),
      failed(error) {
        connection = null;
        // Any organization can make a server refuse.
        if (!(error instanceof RequestRefusedError)) models.note(endpoint.name, false);
      },
    });
  }

  async function finish(live: LiveConnection, signal: AbortSignal): Promise<string> {
    const text = await live.finish(signal);
    models.note(endpoint.name, true);
    return withoutMarks(text);
  }

  /** The whole utterance on a new connection. */
  async function again(samples: Int16Array, signal: AbortSignal): Promise<string> {
    connection?.close();
    const live = open();
    connection = live;
    if (live === null) throw new Error('the recognizer is down');
    live.hear(toMuLaw(samples));
    return finish(live, signal);
  }

  return {
    hear(samples) {
      connection?.hear(toMuLaw(samples));
    },
    async transcribe(samples, signal) {
      try {
        const live = connection;
        if (live !== null) return await finish(live, signal);
      } catch (error) {
        if (signal.aborted || isClosed) throw error;
      }
      try {
        return await again(samples, signal);
      } catch (error) {
        if (signal.aborted || isClosed) throw error;
        return transcribe(models, settings, samples, signal);
      }
    },
    close() {
      isClosed = true;
      connection?.close();
      connection = null;
    },
  };
}

/** A connection on which a recognizer hears the person while they speak. */
interface LiveConnection {
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
function openLiveConnection(
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
