import { campaignPage, envelope, pageOf, pageParameters, rolesFrom } from '@outdial/contracts';
import { countCampaigns, inReadSnapshot, listCampaigns as listRecords, numbersOfPage } from '@outdial/db';
import { defineRoute, sent } from '../../http/define-route.ts';
import { sendJson } from '../../http/send-json.ts';
import { streamJson } from '../../http/stream-json.ts';
import { cutOffStalledCaller } from './answer-campaign.ts';
import { campaignPageJson, campaignPageText, envelopeJson, envelopeText } from './campaign-json.ts';
import { campaignHead, pageMeta } from './campaign-view.ts';

const message = 'Data got correctly';

export const listCampaigns = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns',
    operationId: 'listCampaigns',
    summary: "List the organization's campaigns, newest first",
    description:
      '`meta.campaigns` has `{next_dial_at, waiting_for}` for each running campaign of the page, by its id.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    query: pageParameters({ defaultSize: 50 }),
    response: envelope(campaignPage),
  },
  async ({ principal, query, res }, { db }) => {
    const { organizationId } = principal;
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
