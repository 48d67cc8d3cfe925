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
  countCampaigns,
  type Db,
  inReadSnapshot,
  listCampaigns as listRecords,
  numbersOfPage,
} from '@outdial/db';
import { z } from 'zod';
import { defineRoute, sent } from '../../http/define-route.ts';
import { sendJson } from '../../http/send-json.ts';
import { streamJson } from '../../http/stream-json.ts';
import { cutOffStalledCaller } from './answer-campaign.ts';
import { campaignPageJson, campaignPageText, envelopeJson, envelopeText } from './campaign-json.ts';
import { campaignHead, pageMeta, summaryView } from './campaign-view.ts';
import { progressOf } from './progress-view.ts';

const message = 'Data got correctly';

export const listCampaigns = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns',
    operationId: 'listCampaigns',
    summary: "List the organization's campaigns, newest first",
    description:
      '`meta.campaigns` has `{next_dial_at, waiting_for}` for each running campaign of the page, by its id. ' +
      'With `fields=summary` `meta.progress` has the progress of each campaign of the page, by its id.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    query: pageParameters({ defaultSize: 50 }).extend(summaryShape),
    response: envelope(z.union([campaignPage, campaignSummaryPage])),
  },
  async ({ principal, query, res }, { db }) => {
    const { organizationId } = principal;
    if (query.fields === 'summary') return listSummaries(db, organizationId, query);
    return inReadSnapshot<typeof sent>(db, async (tx) => {
      const total = await countCampaigns(tx, organizationId);
      const rows = await listRecords(tx, organizationId, {
        limit: query.size,
        offset: (query.page - 1) * query.size,
      });
      const numbers = await numbersOfPage(tx, { organizationId, campaignIds: rows.map((row) => row.id) });
      if (numbers.kind === 'whole') {
        const items = rows.map((row, at) => ({
          head: campaignHead(row),
          numbers: numbers.lists[at] ?? '[]',
        }));
        const page = campaignPageText(pageOf(items, query, total));
        sendJson(res, envelopeText(message, pageMeta(rows), page));
        return sent;
      }
      cutOffStalledCaller(res);
      try {
        const items = rows.map((row, at) => ({ head: campaignHead(row), numbers: numbers.lists[at] ?? [] }));
        const page = campaignPageJson(pageOf(items, query, total));
        return await streamJson(res, envelopeJson(message, pageMeta(rows), page));
      } finally {
        await numbers.close();
      }
    });
  },
);

async function listSummaries(db: Db, organizationId: string, query: { page: number; size: number }) {
  const total = await countCampaigns(db, organizationId);
  const rows = await listRecords(db, organizationId, {
    limit: query.size,
    offset: (query.page - 1) * query.size,
  });
  const progress = await progressOf(db, { organizationId, campaignIds: rows.map((row) => row.id) });
  return got(pageOf(rows.map(summaryView), query, total), {
    ...pageMeta(rows),
    progress: Object.fromEntries(progress),
  });
}
