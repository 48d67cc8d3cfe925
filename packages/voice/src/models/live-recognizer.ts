import type { VoiceEndpoint } from '@outdial/runtime';
import { toMuLaw } from '../audio/mu-law.ts';
import type { ModelEndpoints } from './endpoints.ts';
import { openLiveConnection, type LiveConnection } from './live-connection.ts';
import { isLive, protocolOf } from './live-protocols.ts';
import { RequestRefusedError } from './refusal.ts';
import { transcribe, type RecognizerSettings } from './speech-to-text.ts';
import { withoutMarks } from './transcript-marks.ts';

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
