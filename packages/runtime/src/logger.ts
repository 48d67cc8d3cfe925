import { type DestinationStream, pino, type Logger } from 'pino';
import { maskLine } from './mask-line.ts';

export type { Logger };

/** All log lines use the same field names: request_id, campaign_id, call_id, recipient_id, organization_id, job and job_id. */
export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Default: standard output. */
  readonly destination?: DestinationStream;
}

const secretFields = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'api_key',
  'signature',
  '["x-api-key"]',
  '["webhook-signature"]',
];

/** Writes JSON lines. Redacts secrets by field name, and masks phone numbers and URL passwords anywhere in a line. */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const paths = secretFields.flatMap((field) =>
    ['', '*', '*.*'].map((parent) =>
      field.startsWith('[') || parent === '' ? parent + field : `${parent}.${field}`,
    ),
  );
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '[redacted]' },
      hooks: { streamWrite: maskLine },
    },
    // Synchronous, so that the last line before an exit is not lost.
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
}
