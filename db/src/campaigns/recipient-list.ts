import { type CallingKey, callingKeyOf, type CallingPolicy, ConflictError } from '@outdial/core';
import type { StoredPlace } from '../schema/campaigns.ts';
import { sql } from 'kysely';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor } from '../transaction.ts';
import type { CampaignKey } from '../keys.ts';

/** The numbers of a campaign as plain strings, because a million objects would not fit into memory. */
export interface RecipientList {
  /** In list order, without duplicates. */
  phoneNumbers: readonly string[];
  /** The zone of numbers without their own. Under a calling policy, the number decides instead. */
  timezone: string;
  callingPolicy: CallingPolicy;
  /** Entries for numbers that are not on the list have no effect. */
  details: ReadonlyMap<string, RecipientDetails>;
}

/** Columns for `unnest`, which is as fast as COPY here, because triggers and indexes take most of the time. */
export interface RecipientChunk {
  firstPosition: number;
  phoneNumbers: string[];
  /** Null for the campaign's zone. */
  keys: Array<CallingKey | null>;
  places: Array<string | null>;
  promptParams: Array<string | null>;
}

/** Large enough to amortize a statement, and only a few megabytes. */
const chunkLength = 10_000;

export function* recipientChunks(list: RecipientList): Generator<RecipientChunk> {
  for (let start = 0; start < list.phoneNumbers.length; start += chunkLength) {
    const phoneNumbers = list.phoneNumbers.slice(start, start + chunkLength);
    const details = phoneNumbers.map((phoneNumber) => list.details.get(phoneNumber));
    yield {
      firstPosition: start,
      phoneNumbers,
      keys: phoneNumbers.map((phoneNumber, n) => recipientKey(list.callingPolicy, phoneNumber, details[n])),
      places: details.map((own) => placeJson(own)),
      promptParams: details.map((own) =>
        own?.promptParams == null ? null : JSON.stringify(own.promptParams),
      ),
    };
  }
}

/** Each advance of a campaign judges all of its keys. Numbers of every state of the United States with every other state as `region` have 2,601. */
export const callingKeysAtMost = 3_000;

/** @throws ConflictError `quota_exceeded` if they are too many for a campaign */
export function requireFewKeys(keys: ReadonlySet<CallingKey>): void {
  if (keys.size <= callingKeysAtMost) return;
  throw new ConflictError(
    'quota_exceeded',
    `The people of a campaign can be in at most ${callingKeysAtMost} different places, which follow from phone number, timezone, region and postal_code. Divide the list among several campaigns.`,
  );
}

/** The distinct calling keys of the list. @throws ConflictError `quota_exceeded` if they are too many for a campaign */
export function callingKeysOf(list: RecipientList): string[] {
  if (list.callingPolicy === 'none' && list.details.size === 0) return [list.timezone];
  const zones = new Set<string>();
  for (const phoneNumber of list.phoneNumbers) {
    zones.add(recipientKey(list.callingPolicy, phoneNumber, list.details.get(phoneNumber)) ?? list.timezone);
  }
  requireFewKeys(zones);
  return [...zones].toSorted();
}

/** An entry of a campaign's `additional_params.recipients`. */
export interface RecipientDetails {
  timezone: string | null;
  /** ISO 3166. */
  region?: string | undefined;
  postalCode?: string | undefined;
  promptParams: Record<string, string> | null;
}

/** The calling key of a recipient; null for the campaign's zone, which only applies without a policy. */
export function recipientKey(
  policy: CallingPolicy,
  phoneNumber: string,
  own: RecipientDetails | undefined,
): CallingKey | null {
  const timezone = own?.timezone ?? undefined;
  if (policy === 'none') return timezone ?? null;
  const { region, postalCode } = own ?? {};
  return callingKeyOf(policy, { phoneNumber, timezone, region, postalCode }, '');
}

/** The location to store. A new policy or zone of the campaign recomputes the key from it. */
export function placeJson(own: RecipientDetails | undefined): string | null {
  if (own === undefined) return null;
  const { timezone, region, postalCode } = own;
  if (timezone === null && region === undefined && postalCode === undefined) return null;
  const place: StoredPlace = { timezone: timezone ?? undefined, region, postal_code: postalCode };
  return JSON.stringify(place);
}

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
  { organizationId, campaignId, listRevision }: CampaignKey & { listRevision: number },
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
