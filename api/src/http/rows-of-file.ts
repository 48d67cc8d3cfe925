import { Turns } from '@outdial/core';
import { isZip, readRows } from '@outdial/sheets';
import { inPieces } from './in-pieces.ts';

/** Workbooks that are unpacked at once, each of another organization: one may take a hundred times its size. */
const workbooks = new Turns({ atOnce: 3, perOrganization: 1 });

/** The rows of a file that an organization has sent. @throws TableError */
export async function* rowsOfFile(
  { bytes, organizationId }: { bytes: Buffer; organizationId: string },
  options: Parameters<typeof readRows>[1],
): ReturnType<typeof readRows> {
  const end = isZip(bytes) ? await workbooks.take(organizationId) : () => undefined;
  try {
    yield* readRows(inPieces(bytes), options);
  } finally {
    end();
  }
}
