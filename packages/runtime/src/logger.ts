import { type DestinationStream, pino, type Logger } from 'pino';
import { maskLine } from './mask-line.ts';

export type { Logger };

/**
 * Fields have one name each throughout the service: request_id, campaign_id, call_id, recipient_id, organization_id,
 * job and job_id.
 */
export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Where the lines go; standard output unless given. */
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

/** JSON lines. Secrets are left out by the name of their field, phone numbers and urls' passwords wherever they are. */
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
    // Synchronous: the last line before an exit is the one that matters.
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
}
