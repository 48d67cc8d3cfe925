import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { FileMissingError, type FileStore } from '@outdial/core';

export interface S3Settings {
  bucket: string;
  region: string;
  /** Of a store other than Amazon's. */
  endpoint?: string | undefined;
  /** Without them the client looks where Amazon's tools look: environment, profile, role of the machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** The bucket in the path instead of the host's name, as most other stores want it. */
  forcePathStyle: boolean;
  /** Begins every key. */
  prefix: string;
}

/** S3 wants parts of at least 5 MiB (its quotas page, "Multipart upload"); this is what one upload holds in memory. */
const PART_BYTES = 5 * 1024 * 1024;

const CONNECTION_TIMEOUT_MS = 5_000;
/** Nothing has come, and nothing has been taken, for so long. */
const SILENCE_TIMEOUT_MS = 30_000;

/** Files in a bucket of anything that speaks S3. `close` ends its connections. */
export function createS3FileStore(settings: S3Settings): FileStore & { close(): void } {
  const client = new S3Client({
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    // By default the client waits for ever, for a store that does not answer and for one that stops in the middle.
    requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS, socketTimeout: SILENCE_TIMEOUT_MS },
    // Newer checksums are Amazon's own; many other stores refuse requests that carry them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(settings.endpoint === undefined ? {} : { endpoint: settings.endpoint }),
    ...(settings.credentials === undefined ? {} : { credentials: settings.credentials }),
  });
  const address = (key: string) => ({ Bucket: settings.bucket, Key: settings.prefix + key });

  return {
    async write(key, bytes) {
      const source = Readable.from(bytes, { objectMode: false });
      const broken = new Promise<never>((_resolve, reject) => {
        source.once('error', reject);
      });
      // Its own error comes first: the store's error about the abandoned upload adds nothing.
      broken.catch(() => undefined);
      const upload = new Upload({
        client,
        params: { ...address(key), Body: source },
        partSize: PART_BYTES,
        queueSize: 1,
      });
      try {
        await upload.done();
      } catch (error) {
        if (source.errored) await broken;
        throw error;
      }
    },

    async *read(key, range) {
      const part = range && { Range: `bytes=${range.start}-${range.end}` };
      let body: unknown;
      try {
        ({ Body: body } = await client.send(new GetObjectCommand({ ...address(key), ...part })));
      } catch (error) {
        throw error instanceof NoSuchKey ? new FileMissingError(key) : error;
      }
      // In Node the client answers with a stream of bytes (its guide, "Streams").
      if (!(body instanceof Readable)) throw new TypeError('the S3 client gave no stream');
      for await (const chunk of body) {
        if (!(chunk instanceof Uint8Array)) throw new TypeError('the S3 client gave no bytes');
        yield chunk;
      }
    },

    async remove(key) {
      await client.send(new DeleteObjectCommand(address(key)));
    },

    close() {
      client.destroy();
    },
  };
}
