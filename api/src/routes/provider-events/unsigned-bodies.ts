import type { TelephonyProvider } from '@outdial/core';
import type { Logger } from '@outdial/runtime';
import type { Request } from 'express';
import { UnsupportedMediaTypeError } from '../../http/errors.ts';
import { readBody } from '../../http/read-body.ts';
import { EventSignatureError } from './errors.ts';

/** An event has at most a transcript. */
const eventBytesAtMost = 1024 * 1024;
/** For all bodies that are not complete, so that their signature is not known. Authentic ones come within milliseconds. */
const bytesTogether = 16 * 1024 * 1024;

interface OpenBody {
  bytes: number;
  cut(): void;
}

/**
 * Reads the bodies of events, whose senders are strangers until the body is complete. If they together take more memory than all events of
 * a busy moment, those that have taken the longest are cut; a provider sends such an event again.
 */
export class UnsignedBodies {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #bytesTogether: number;
  /** Oldest first. */
  readonly #open = new Set<OpenBody>();
  #bytes = 0;

  constructor(options: { log: Pick<Logger, 'warn'>; bytesTogether?: number }) {
    this.#log = options.log;
    this.#bytesTogether = options.bytesTogether ?? bytesTogether;
  }

  /**
   * The body as received, as text of any content type. Signatures cover the bytes on the wire, so nothing is decompressed. @throws
   * EventSignatureError without the headers of a signature, before anything is read · PayloadTooLargeError · UnsupportedMediaTypeError ·
   * MalformedRequestError
   */
  async read(req: Request, provider: Pick<TelephonyProvider, 'name' | 'signatureHeaders'>): Promise<string> {
    if (!(provider.signatureHeaders ?? []).every((name) => typeof req.headers[name] === 'string')) {
      this.#log.warn({ provider: provider.name }, 'refused an event without a signature');
      throw new EventSignatureError();
    }
    const encoding = req.headers['content-encoding'] ?? 'identity';
    if (encoding.trim().toLowerCase() !== 'identity') {
      throw new UnsupportedMediaTypeError('Events with a content encoding are not accepted');
    }
    const body: OpenBody = { bytes: 0, cut: () => req.destroy() };
    this.#open.add(body);
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of readBody(req, eventBytesAtMost)) {
        chunks.push(chunk);
        this.#take(body, chunk.length);
      }
      return Buffer.concat(chunks).toString('utf8');
    } finally {
      this.#forget(body);
    }
  }

  #take(body: OpenBody, bytes: number): void {
    // It was cut.
    if (!this.#open.has(body)) return;
    body.bytes += bytes;
    this.#bytes += bytes;
    for (const oldest of this.#open) {
      if (this.#bytes <= this.#bytesTogether) return;
      this.#forget(oldest);
      oldest.cut();
      this.#log.warn(
        { bytes: oldest.bytes },
        'cut the event that took the longest, because too many arrive at once',
      );
    }
  }

  #forget(body: OpenBody): void {
    if (this.#open.delete(body)) this.#bytes -= body.bytes;
  }
}
