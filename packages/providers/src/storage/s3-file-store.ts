import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { FileMissingError, type FileStore } from '@outdial/core';

export interface S3Settings {
  bucket: string;
  region: string;
  /** The address of a store other than Amazon's. */
  endpoint?: string | undefined;
  /** Without them, the client uses Amazon's default chain: environment, profile, role of the machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** Puts the bucket in the path instead of the host name, as most other stores require. */
  forcePathStyle: boolean;
  /** The prefix of every key. */
  prefix: string;
}

/** S3 requires parts of at least 5 MiB (its quotas page, "Multipart upload"). One upload holds one part in memory. */
const partBytes = 5 * 1024 * 1024;

const connectionTimeoutMs = 5_000;
/** A request fails after this time without traffic in either direction. */
const silenceTimeoutMs = 30_000;

/** Stores files in a bucket of any S3-compatible store. `close` ends its connections. */
export function createS3FileStore(settings: S3Settings): FileStore & { close(): void } {
  const client = new S3Client({
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    // By default, the client waits forever for a store that does not answer, or stops in the middle of an answer.
    requestHandler: { connectionTimeout: connectionTimeoutMs, socketTimeout: silenceTimeoutMs },
    // The newer checksums are Amazon's own. Many other stores refuse requests with them.
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
      // The source's error is thrown first: the store's error about the abandoned upload adds nothing.
      broken.catch(() => undefined);
      const upload = new Upload({
        client,
        params: { ...address(key), Body: source },
        partSize: partBytes,
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
      // In Node, the client returns a stream of bytes (its guide, "Streams").
      if (!(body instanceof Readable)) throw new TypeError('the S3 client returned no stream');
      for await (const chunk of body) {
        if (!(chunk instanceof Uint8Array)) throw new TypeError('the S3 client returned no bytes');
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
