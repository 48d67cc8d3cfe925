import {
  created,
  envelope,
  numberingOf,
  rolesFrom,
  type ImportLine,
  type RefusedLine,
} from '@outdial/contracts';
import type { Numbering } from '@outdial/core';
import { engineNow, noteChange, type Tx } from '@outdial/db';
import type { z } from 'zod';
import { metaWithWarnings } from './answer-warnings.ts';
import { defineRoute, type Route } from './define-route.ts';
import { idempotencyHeader, once } from './idempotency.ts';
import { bringsFile, hiddenWereRead, inOrder, readTable, tableUpload, withDigest } from './table-upload.ts';

interface ItemsImport<Added extends { added: number }> {
  path: string;
  operationId: string;
  summary: string;
  description: string;
  tag: string;
  body: z.ZodType<{
    items?: Array<Record<string, unknown>> | undefined;
    country?: string | null | undefined;
    numbers?: Numbering['numbers'] | null;
    mapping?: string | null | undefined;
  }>;
  answer: z.ZodType<Added & { rows: number; refused: RefusedLine[] }>;
  rowsAtMost: number;
  /** The fields of a row of a file, besides the phone number. */
  fields: readonly string[];
  /** Converts a row of a file to a JSON item. */
  itemOf: (fields: ReadonlyMap<string, string>) => ImportLine['item'];
  /** The type of an item in the audit log. */
  type: Parameters<typeof noteChange>[0]['type'];
  /** Checks each item, adds the valid ones, and returns the faults of the others. */
  add: (
    tx: Tx,
    lines: readonly ImportLine[],
    by: { organizationId: string; createdBy: string | null; now: Date; numbering: Numbering },
  ) => Promise<Added & { refused: readonly RefusedLine[] }>;
}

/** Declares an import of many records, from a form with a file or from JSON with `items`, with support for `Idempotency-Key`. */
export function defineItemsImport<Added extends { added: number }>(options: ItemsImport<Added>): Route {
  const { path, operationId, summary, description, tag, body, rowsAtMost, fields, itemOf, type, add } =
    options;
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
    },
    async (request, deps) => {
      const { items = [] } = request.body;
      const numbering = numberingOf(request.body);
      const { organizationId, userId: createdBy } = request.principal;
      const read = bringsFile(request, 'items')
        ? await readTable(
            { bytes: request.bytes, organizationId },
            { fields, rowsAtMost, mapping: request.body.mapping, numbering },
            (row, line) => ({ line, item: itemOf(row) }),
          )
        : { faults: [], notes: null, items: items.map((item, index) => ({ item, line: index + 1 })) };
      return once(deps, withDigest(request), response, async (tx) => {
        const now = await engineNow(tx);
        const done = await add(tx, read.items, { organizationId, createdBy, now, numbering });
        const faults = read.faults.map((one) => ({ ...one, field: null }));
        const refused = inOrder([...faults, ...done.refused]);
        noteChange({ type, id: 'import', after: { added: done.added, refused: refused.length } });
        const rows = read.items.length + faults.length;
        return {
          kept: created(
            { ...done, rows, refused },
            metaWithWarnings({}, read.notes?.warnings(hiddenWereRead) ?? []),
          ),
        };
      });
    },
  );
}
