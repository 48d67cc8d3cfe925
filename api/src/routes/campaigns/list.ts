import {
  campaignPage,
  campaignSummaryPage,
  envelope,
  got,
  pageOf,
  pageParameters,
  rolesFrom,
  summaryShape,
} from '@outdial/contracts';
import {
  type CampaignRecord,
  type Db,
  inReadSnapshot,
  listCampaigns as readPage,
  numbersOfPage,
} from '@outdial/db';
import { z } from 'zod';
import { cutOffStalledCaller } from '../../http/answer-pieces.ts';
import { noteBulkRead, peopleOfPage } from '../../http/bulk-read.ts';
import { defineRoute, sent } from '../../http/define-route.ts';
import { sendJson } from '../../http/send-json.ts';
import { streamJson } from '../../http/stream-json.ts';
import {
  campaignPageJson,
  campaignPageText,
  campaignText,
  envelopeJson,
  envelopeText,
} from './campaign-json.ts';
import { campaignHead, pageMeta, summaryView } from './campaign-view.ts';
import { longCampaignOfPage } from './long-campaign.ts';
import { progressOf } from './progress-view.ts';

const message = 'Data got correctly';

export const listCampaigns = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns',
    operationId: 'listCampaigns',
    summary: 'List campaigns, newest first',
    description:
      "For each running campaign on the page, `meta.campaigns` has `{next_dial_at, waiting_for}` under the campaign's id. " +
      'With `fields=summary`, `meta.progress` has the progress of each campaign on the page, under its id.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    isAudited: true,
    query: pageParameters({ defaultSize: 50 }).extend(summaryShape),
    response: envelope(z.union([campaignPage, campaignSummaryPage])),
  },
  async ({ organizationId, query, res }, deps) => {
    if (query.fields === 'summary') return listSummaries(deps.db, organizationId, query);
    const { total, rows, numbers } = await inReadSnapshot(deps.db, async (tx) => {
      const { total, records } = await readPage(tx, organizationId, limitsOf(query));
      const campaignIds = records.map((row) => row.id);
      return { total, rows: records, numbers: await numbersOfPage(tx, { organizationId, campaignIds }) };
    });
    const texts = numbers === null ? null : rows.map((row, at) => shortText(row, numbers[at]?.text ?? '[]'));
    const people = numbers?.reduce((sum, { count }) => sum + count, 0) ?? null;
    if (people === null || people > peopleOfPage) {
      await noteBulkRead(deps.db, { type: 'campaigns', id: `page ${query.page}` }, { people });
    }
    if (texts?.every((text) => text !== null) === true) {
      sendJson(res, envelopeText(message, pageMeta(rows), campaignPageText(pageOf(texts, query, total))));
      return sent;
    }
    return deps.longAnswers.within({ organizationId, purpose: 'read' }, (pace) => {
      cutOffStalledCaller(res);
      const items = rows.map((row) => longCampaignOfPage(deps, row));
      return streamJson(
        res,
        envelopeJson(message, pageMeta(rows), campaignPageJson(pageOf(items, query, total))),
        pace,
      );
    });
  },
);

async function listSummaries(db: Db, organizationId: string, query: { page: number; size: number }) {
  const { total, records: rows } = await inReadSnapshot(db, (tx) =>
    readPage(tx, organizationId, limitsOf(query)),
  );
  const progress = await progressOf(db, { organizationId, campaignIds: rows.map((row) => row.id) });
  return got(pageOf(rows.map(summaryView), query, total), {
    ...pageMeta(rows),
    progress: Object.fromEntries(progress),
  });
}

function limitsOf({ page, size }: { page: number; size: number }): { limit: number; offset: number } {
  return { limit: size, offset: (page - 1) * size };
}

function shortText(record: CampaignRecord, numbers: string): string | null {
  const { recipient_params: recipientParams } = record;
  if (recipientParams?.kind === 'long') return null;
  return campaignText(campaignHead(record), { numbers, recipients: recipientParams?.text ?? null });
}
