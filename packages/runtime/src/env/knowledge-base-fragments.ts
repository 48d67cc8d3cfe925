import { availableParallelism } from 'node:os';
import { envFragment } from './fragment.ts';
import { choice, flag, integer, optional, secret, text, url, withDefault } from './variable.ts';

const mib = 1024 * 1024;

/** Where uploaded files are stored. All processes need the same settings. */
export const filesEnv = envFragment(
  {
    FILE_STORE: withDefault(
      choice(['postgres', 's3']),
      'postgres',
      'Where uploaded files are stored: postgres (in the database) or s3 (a bucket of any S3-compatible store).',
    ),
    S3_BUCKET: optional(text, 'outdial-files', 'The bucket; it must exist.'),
    S3_REGION: withDefault(text, 'us-east-1', 'The region of the bucket.'),
    S3_ENDPOINT: optional(
      url('http', 'https'),
      'https://s3.example.com',
      'The address of a store other than Amazon S3.',
    ),
    S3_ACCESS_KEY_ID: optional(
      text,
      'outdial',
      'Without it the client uses the AWS credential chain: profile, role of the machine.',
    ),
    S3_SECRET_ACCESS_KEY: optional(secret(1), 'change-this-secret', 'The secret of S3_ACCESS_KEY_ID.'),
    S3_FORCE_PATH_STYLE: withDefault(
      flag,
      '0',
      '1 if the store expects the bucket in the path instead of the host name.',
    ),
    S3_PREFIX: withDefault(text, 'outdial/', 'First part of the key of every file.'),
  },
  (env, report) => {
    if (env.FILE_STORE === 'postgres') return { kind: 'postgres' } as const;
    if (env.S3_BUCKET === undefined) {
      report('S3_BUCKET', 'is not set, and FILE_STORE is s3');
      return { kind: 'postgres' } as const;
    }
    const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
    if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
      const missing = accessKeyId === undefined ? 'S3_ACCESS_KEY_ID' : 'S3_SECRET_ACCESS_KEY';
      report(missing, 'is not set, and its counterpart is');
    }
    return {
      kind: 's3',
      bucket: env.S3_BUCKET,
      region: env.S3_REGION,
      endpoint: env.S3_ENDPOINT,
      credentials:
        accessKeyId === undefined || secretAccessKey === undefined
          ? undefined
          : { accessKeyId, secretAccessKey },
      forcePathStyle: env.S3_FORCE_PATH_STYLE,
      prefix: env.S3_PREFIX,
    } as const;
  },
);

export const uploadEnv = envFragment(
  {
    MAX_UPLOAD_MB: withDefault(integer(1, 2_000), '20', 'The largest file that can be uploaded, in MiB.'),
    MAX_ITEMS_PER_KNOWLEDGE_BASE: withDefault(
      integer(1, 1_000_000),
      '10000',
      'Items that one knowledge base may have.',
    ),
    MAX_ORGANIZATION_FILES_MB: withDefault(
      integer(1, 100_000_000),
      '10240',
      'Files that one organization may have in all its knowledge bases, in MiB.',
    ),
  },
  (env) => ({
    uploadLimitBytes: env.MAX_UPLOAD_MB * mib,
    itemLimits: {
      itemsPerBase: env.MAX_ITEMS_PER_KNOWLEDGE_BASE,
      bytesPerOrganization: env.MAX_ORGANIZATION_FILES_MB * mib,
    },
  }),
);

/** How a worker turns files into text. */
export const extractionEnv = envFragment(
  {
    EXTRACTION_CONCURRENCY: optional(
      integer(1, 256),
      '3',
      'Files of one organization that a worker reads concurrently, each in its own process; it reads one more of another organization. Default: one less than the number of cores.',
    ),
    EXTRACTION_TIMEOUT_SECONDS: withDefault(
      integer(1, 240),
      '120',
      'A file that takes longer to read fails.',
    ),
    EXTRACTION_MEMORY_MB: withDefault(
      integer(128, 65_536),
      '768',
      'A file that takes more memory to read fails.',
    ),
    MAX_PAGES: withDefault(integer(1, 1_000_000), '5000', 'The most pages of one file.'),
    MAX_TEXT_MB: withDefault(integer(1, 200), '50', 'The most text of one file, in millions of characters.'),
  },
  (env) => ({
    concurrency: env.EXTRACTION_CONCURRENCY ?? Math.max(1, availableParallelism() - 1),
    limits: {
      timeoutMs: env.EXTRACTION_TIMEOUT_SECONDS * 1_000,
      memoryMb: env.EXTRACTION_MEMORY_MB,
      maxPages: env.MAX_PAGES,
      maxTextChars: env.MAX_TEXT_MB * 1_000_000,
    },
  }),
);

/** The tokens with which a voice runtime searches knowledge bases during a call. */
export const knowledgeTokenEnv = envFragment(
  {
    KNOWLEDGE_TOKEN_SECRET: optional(
      secret(32),
      'a-secret-of-at-least-32-characters',
      'Signs the tokens with which voice runtimes search knowledge bases during a call. Without it there are no tokens.',
    ),
  },
  (env) => env.KNOWLEDGE_TOKEN_SECRET ?? null,
);
