import type { Page } from '@outdial/contracts';
import type { CampaignHead } from './campaign-view.ts';

type Pieces<Piece> = AsyncIterable<Piece> | Iterable<Piece>;

export interface CampaignWithNumbers {
  /** `additional_params` without its `recipients`. */
  head: CampaignHead;
  /** The text of `additional_params.recipients`, if there is one. */
  recipients: Pieces<string> | null;
  /** In chunks. Started only when it is this campaign's turn. */
  numbers: Pieces<readonly string[]>;
}

/** The text of a campaign whose parts are small. Numbers and recipients are passed as text. */
export function campaignText(
  head: CampaignHead,
  { numbers, recipients }: { numbers: string; recipients: string | null },
): string {
  const params = recipients === null ? '' : `${recipientsBegin(head)}${recipients}}`;
  return `${headBegin(head, recipients !== null)}${params},"phone_numbers":${numbers}}`;
}

export function campaignPageText({ items, ...numbering }: Page<string>): string {
  return `{"items":[${items.join(',')}],${JSON.stringify(numbering).slice(1)}`;
}

export function envelopeText(message: string, meta: Record<string, unknown>, data: string): string {
  return `{"message":${JSON.stringify(message)},"meta":${JSON.stringify(meta)},"data":${data}}`;
}

/** The pieces of `{message, meta, data}`. The data is also passed in pieces. */
export async function* envelopeJson(
  message: string,
  meta: Record<string, unknown>,
  data: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield `{"message":${JSON.stringify(message)},"meta":${JSON.stringify(meta)},"data":`;
  yield* data;
  yield '}';
}

export async function* campaignJson({
  head,
  recipients,
  numbers,
}: CampaignWithNumbers): AsyncGenerator<string> {
  yield headBegin(head, recipients !== null);
  if (recipients !== null) {
    yield recipientsBegin(head);
    yield* recipients;
    yield '}';
  }
  yield ',"phone_numbers":[';
  let separator = '';
  for await (const chunk of numbers) {
    if (chunk.length === 0) continue;
    yield separator + JSON.stringify(chunk).slice(1, -1);
    separator = ',';
  }
  yield ']}';
}

/** The campaign up to its numbers, or up to `additional_params` if that comes in pieces. */
function headBegin({ additional_params, ...head }: CampaignHead, paramsFollow: boolean): string {
  const begin = JSON.stringify(head).slice(0, -1);
  return paramsFollow ? begin : `${begin},"additional_params":${JSON.stringify(additional_params)}`;
}

function recipientsBegin({ additional_params }: CampaignHead): string {
  const rest = JSON.stringify(additional_params).slice(0, -1);
  return `,"additional_params":${rest}${rest === '{' ? '' : ','}"recipients":`;
}

export async function* campaignPageJson({
  items,
  ...numbering
}: Page<CampaignWithNumbers>): AsyncGenerator<string> {
  yield '{"items":[';
  let separator = '';
  for (const item of items) {
    yield separator;
    yield* campaignJson(item);
    separator = ',';
  }
  yield `],${JSON.stringify(numbering).slice(1)}`;
}
