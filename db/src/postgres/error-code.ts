/** The SQLSTATE of an error from Postgres, else an empty string. */
export function postgresCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return '';
}

/** Writes what a request can do without, so that a read is still answered while the database is read-only. */
export async function unlessReadOnly(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (postgresCode(error) !== '25006') throw error;
  });
}
