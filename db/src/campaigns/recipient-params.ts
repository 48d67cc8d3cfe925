import { sql } from 'kysely';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor } from '../transaction.ts';

/** `additional_params` as stored: `recipients` has its own column. */
export interface ParamsColumns {
  additional_params: string;
  recipient_params: Buffer | null;
}

export function paramsColumns(additionalParams: JsonObject): ParamsColumns {
  const { recipients, ...rest } = additionalParams;
  return isObject(recipients)
    ? { additional_params: JSON.stringify(rest), recipient_params: Buffer.from(JSON.stringify(recipients)) }
    : { additional_params: JSON.stringify(additionalParams), recipient_params: null };
}

/** Joins both columns. Parses all of `recipients`, so this is only for changes of the campaign. */
export function joinedParams(row: {
  additional_params: JsonObject;
  recipient_params: Buffer | null;
}): JsonObject {
  if (row.recipient_params === null) return row.additional_params;
  const recipients: unknown = JSON.parse(row.recipient_params.toString('utf8'));
  return { ...row.additional_params, recipients };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const pieceBytes = 512 * 1024;

/** The list was replaced during the read, so the pieces do not fit together. */
export class ListReplacedError extends Error {
  override readonly name = 'ListReplacedError';
}

/**
 * The text of `additional_params.recipients` in pieces. Each is a separate statement, so that a slow caller does not occupy a connection.
 * @throws ListReplacedError after a concurrent update
 */
export async function* recipientParamsText(
  db: Executor,
  {
    organizationId,
    campaignId,
    listRevision,
  }: { organizationId: string; campaignId: string; listRevision: number },
): AsyncGenerator<string> {
  const utf8 = new TextDecoder();
  for (let from = 1; ; from += pieceBytes) {
    const { rows } = await sql<{ piece: Buffer }>`
      select substring(recipient_params from ${from}::integer for ${pieceBytes}::integer) as piece from campaigns
      where organization_id = ${organizationId} and id = ${campaignId} and list_revision = ${listRevision}
        and recipient_params is not null`.execute(db);
    const piece = rows[0]?.piece;
    if (piece === undefined) throw new ListReplacedError('the recipients of a campaign were replaced');
    yield utf8.decode(piece, { stream: piece.length === pieceBytes });
    if (piece.length < pieceBytes) return;
  }
}
