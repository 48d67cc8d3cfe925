import { postgresCode } from '@outdial/db';
import { StartError } from '../start-error.ts';

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'ECONNRESET',
]);

/** One line about a failure to prepare the database, without its password. */
export function databaseFault(error: unknown, isEmbedded: boolean): StartError {
  const code = postgresCode(error);
  const database = isEmbedded ? 'The embedded database' : 'The database of DATABASE_URL';
  return new StartError('database', `${database} ${faultOf(code, error)}.`, { cause: error });
}

function faultOf(code: string, error: unknown): string {
  if (unreachable.has(code)) return `cannot be reached (${code})`;
  if (code === '3D000') return 'does not exist';
  if (code === '28P01' || code === '28000') return 'refused the user or the password';
  if (code === '42501') return 'does not let this user create tables';
  const words = error instanceof Error ? error.message.split('\n')[0] : String(error);
  return `could not be prepared: ${words ?? ''}`;
}
