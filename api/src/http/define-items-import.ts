import { created, envelope, rolesFrom, type ImportLine, type RefusedLine } from '@outdial/contracts';
import { engineNow, noteChange, type Tx } from '@outdial/db';
import type { z } from 'zod';
import { defineRoute, type Route } from './define-route.ts';
import { idempotencyHeader, once } from './idempotency.ts';
import { bringsFile, inOrder, readTable, tableUpload, withDigest } from './table-upload.ts';

interface ItemsImport<Added extends { added: number }> {
  path: string;
  operationId: string;
  summary: string;
  description: string;
  tag: string;
  body: z.ZodType<{
    items?: Array<Record<string, unknown>> | undefined;
    country?: string | null | undefined;
  }>;
  answer: z.ZodType<Added & { refused: RefusedLine[] }>;
  rowsAtMost: number;
  /** Turns a row of a file into what an item of JSON would be. */
  itemOf: (cells: ReadonlyMap<string, string>, country: string | undefined) => ImportLine['item'];
  /** What the audit log calls one of them. */
  type: Parameters<typeof noteChange>[0]['type'];
  /** Judges each line, adds those that are right, and returns the fault of each other one. */
  add: (
    tx: Tx,
    lines: readonly ImportLine[],
    by: { organizationId: string; createdBy: string | null; now: Date },
  ) => Promise<Added & { refused: readonly RefusedLine[] }>;
}

/** Declares an import of many records: from a form with a file, or from JSON with `items`, once for each `Idempotency-Key`. */
export function defineItemsImport<Added extends { added: number }>(options: ItemsImport<Added>): Route {
  const { path, operationId, summary, description, tag, body, rowsAtMost, itemOf, type, add } = options;
  const response = envelope(options.answer);
  return defineRoute(
    {
      method: 'post',
      path,
      operationId,
      summary,
      description,
      tag,
      roles: rolesFrom('manager'),
      upload: tableUpload,
      body,
      headers: idempotencyHeader,
      response,
      errors: [409],
    },
    async (request, deps) => {
      const { items = [], country } = request.body;
      const { organizationId, userId: createdBy } = request.principal;
      const read = bringsFile(request, 'items')
        ? await readTable(request.bytes, rowsAtMost, (cells, line) => ({
            line,
            item: itemOf(cells, country ?? undefined),
          }))
        : { faults: [], items: items.map((item, index) => ({ item, line: index + 1 })) };
      return once(deps, withDigest(request), response, async (tx) => {
        const done = await add(tx, read.items, { organizationId, createdBy, now: await engineNow(tx) });
        const faults = read.faults.map((one) => ({ ...one, field: null }));
        const refused = inOrder([...faults, ...done.refused]);
        noteChange({ type, id: 'import', after: { added: done.added, refused: refused.length } });
        return { kept: created({ ...done, refused }) };
      });
    },
  );
}
