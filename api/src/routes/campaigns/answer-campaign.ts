import type { Warning } from '@outdial/contracts';
import {
  type CampaignKey,
  findCampaign,
  inReadSnapshot,
  isLongCampaign,
  numbersOfPage,
  type Tx,
} from '@outdial/db';
import type { Response } from 'express';
import type { RouteDeps } from '../../deps.ts';
import { cutOffStalledCaller } from '../../http/answer-pieces.ts';
import { metaWithWarnings } from '../../http/answer-warnings.ts';
import { noteBulkRead, peopleOfPage } from '../../http/bulk-read.ts';
import { sent } from '../../http/define-route.ts';
import type { Pace } from '../../http/long-answers.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { sendJson, sendTag } from '../../http/send-json.ts';
import { streamJson } from '../../http/stream-json.ts';
import { campaignJson, campaignText, envelopeJson, envelopeText } from './campaign-json.ts';
import { campaignHead, campaignMeta, campaignTag, campaignVersion } from './campaign-view.ts';
import { fetchLongCampaign } from './long-campaign.ts';
import type { IfMatch } from '../../http/entity-tag.ts';

export interface CampaignAnswer {
  organizationId: string;
  campaignId: string;
  message: string;
  warnings: readonly Warning[];
}

/** Answers a read with a campaign and its numbers as of the same instant. A long one needs a slot for long reads. */
export async function answerCampaign(
  res: Response,
  deps: RouteDeps,
  answer: CampaignAnswer,
): Promise<typeof sent> {
  const { organizationId, campaignId } = answer;
  const note = (people: number | null) =>
    noteBulkRead(deps.db, { type: 'campaign', id: campaignId }, { people });
  if (await answerShort(res, deps, answer, note)) return sent;
  return deps.longAnswers.within({ organizationId, purpose: 'read' }, async (pace) => {
    await note(null);
    return answerLong(res, deps, answer, pace);
  });
}

/** Changes a campaign and answers with it. If there are too many long answers, refuses before the change. */
export async function changeAndAnswer(
  res: Response,
  deps: RouteDeps,
  answer: CampaignAnswer,
  change: () => Promise<unknown>,
): Promise<typeof sent> {
  const { organizationId } = answer;
  if (await isLongCampaign(deps.db, answer)) {
    return deps.longAnswers.within({ organizationId, purpose: 'change' }, async (pace) => {
      await change();
      return answerLong(res, deps, answer, pace);
    });
  }
  await change();
  return (await answerShort(res, deps, answer)) ? sent : answerLong(res, deps, answer);
}

/** Returns whether the campaign has been answered: it was short, or the caller has it already. `note` is called before, if it has more people than a page of a list. */
async function answerShort(
  res: Response,
  { db }: RouteDeps,
  answer: CampaignAnswer,
  note?: (people: number) => Promise<void>,
): Promise<boolean> {
  const { organizationId, campaignId, message, warnings } = answer;
  const { record, numbers } = await inReadSnapshot(db, async (tx) => {
    const found = orNotFound(await findCampaign(tx, { organizationId, campaignId }), 'Campaign');
    const lists = await numbersOfPage(tx, { organizationId, campaignIds: [campaignId] });
    return { record: found, numbers: lists?.[0] };
  });
  const meta = metaWithWarnings(campaignMeta(record), warnings);
  const tag = campaignTag(record, meta);
  if (numbers === undefined || record.recipient_params?.kind === 'long') return sendTag(res, tag);
  if (numbers.count > peopleOfPage) await note?.(numbers.count);
  const recipients = record.recipient_params?.text ?? null;
  const data = campaignText(campaignHead(record), { numbers: numbers.text, recipients });
  sendJson(res, envelopeText(message, meta, data), tag);
  return true;
}

async function answerLong(
  res: Response,
  deps: RouteDeps,
  { message, warnings, ...key }: CampaignAnswer,
  pace?: Pace,
): Promise<typeof sent> {
  const { record, item } = await fetchLongCampaign(deps, key);
  cutOffStalledCaller(res);
  const meta = metaWithWarnings(campaignMeta(record), warnings);
  // It may have changed since the tag was compared.
  if (sendTag(res, campaignTag(record, meta))) return sent;
  return streamJson(res, envelopeJson(message, meta, campaignJson(item)), pace);
}

/** Compares `If-Match` with the campaign when a change has locked it. */
export function ifCampaignMatches(ifMatch: IfMatch, key: CampaignKey): (tx: Tx) => Promise<void> {
  return (tx) => ifMatch(async () => campaignVersion(orNotFound(await findCampaign(tx, key), 'Campaign')));
}
