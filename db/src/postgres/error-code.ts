/** The SQLSTATE of an error from Postgres, else an empty string. */
export function postgresCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return '';
}
