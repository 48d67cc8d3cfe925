import type { Page } from '@outdial/contracts';
import type { CampaignHead } from './campaign-view.ts';

type Numbers = AsyncIterable<readonly string[]> | Iterable<readonly string[]>;

export interface CampaignWithNumbers {
  head: CampaignHead;
  /** In chunks; begun only when it is this campaign's turn. */
  numbers: Numbers;
}

/** The text of a page whose lists are small, each given as the text of a JSON array. */
export function campaignPageText({
  items,
  ...numbering
}: Page<{ head: CampaignHead; numbers: string }>): string {
  const campaigns = items.map(
    ({ head, numbers }) => `${JSON.stringify(head).slice(0, -1)},"phone_numbers":${numbers}}`,
  );
  return `{"items":[${campaigns.join(',')}],${JSON.stringify(numbering).slice(1)}`;
}

export function envelopeText(message: string, meta: Record<string, unknown>, data: string): string {
  return `{"message":${JSON.stringify(message)},"meta":${JSON.stringify(meta)},"data":${data}}`;
}

/** The pieces of `{message, meta, data}`, the data being given in pieces too. */
export async function* envelopeJson(
  message: string,
  meta: Record<string, unknown>,
  data: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield `{"message":${JSON.stringify(message)},"meta":${JSON.stringify(meta)},"data":`;
  yield* data;
  yield '}';
}

export async function* campaignJson({ head, numbers }: CampaignWithNumbers): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"phone_numbers":[`;
  let separator = '';
  for await (const chunk of numbers) {
    if (chunk.length === 0) continue;
    yield separator + JSON.stringify(chunk).slice(1, -1);
    separator = ',';
  }
  yield ']}';
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
