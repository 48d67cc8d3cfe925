import { ok, type components, type OutdialClient, type OutdialEvent } from '@outdial/client';
import { Ledger, type PersonHeard } from './ledger.ts';
import { receiveWebhooks } from './receive-webhooks.ts';

export interface SpreadsheetCampaign {
  agentId: string;
  /** CSV or XLSX. The first line names the columns. */
  file: Blob;
  fileName: string;
  /** Maps column names to fields, as in the import. */
  mapping?: Record<string, string | null>;
  config?: components['schemas']['SetCampaignConfig'];
  /** The person to withdraw as soon as the campaign has started, before they are called. */
  stopPerson?: string;
  /** The person whose call is ended as soon as it is answered. */
  stopCallOf?: string;
  /** The outcomes after which people are called for one more round. */
  retry: NonNullable<components['schemas']['RetryRecipients']>['outcomes'];
  onEvent?: (event: OutdialEvent) => void;
}

export interface Report {
  campaignId: string;
  /** The rows that the import refused, with line and reason. */
  refused: components['schemas']['ImportedCampaign']['refused'];
  /** The state according to the webhooks alone. */
  heard: {
    people: ReadonlyMap<string, PersonHeard>;
    calls: ReadonlyMap<string, string | null>;
    statuses: readonly string[];
  };
  /** The number of people who got one more round. */
  retried: number;
  /** The exported recipients and calls, as NDJSON. */
  recipients: string;
  calls: string;
}

/**
 * Runs a campaign from a spreadsheet: imports it, starts it, follows it by webhooks alone, withdraws one person, ends one call, retries those who
 * were not reached, and exports the results.
 */
export async function callSpreadsheet(client: OutdialClient, plan: SpreadsheetCampaign): Promise<Report> {
  const ledger = new Ledger();
  const unread: OutdialEvent[] = [];
  let campaignId: string | undefined;
  let look = () => undefined as void;
  const take = (event: OutdialEvent) => {
    if (event.data['campaign_id'] !== campaignId || !ledger.take(event)) return;
    plan.onEvent?.(event);
    act(event);
    look();
  };
  const failed = Promise.withResolvers<never>();
  // Prevents an unhandled rejection until `until` awaits this promise.
  failed.promise.catch(() => undefined);
  /** Reacts to an event. */
  const act = (event: OutdialEvent) => {
    const { type, data } = event;
    if (type === 'call.answered' && data['phone_number'] === plan.stopCallOf) {
      hangUp(client, String(data['call_id'])).catch(failed.reject);
    }
  };
  // An event may come before the response that contains the campaign's id.
  const receiver = await receiveWebhooks((event) =>
    campaignId === undefined ? void unread.push(event) : take(event),
  );
  const endpoint = await ok(
    client.POST('/api/v1/webhook-endpoints', { body: { url: receiver.url, events: ['*'] } }),
  );
  if (!endpoint.data?.secret) throw new Error('the webhook endpoint was not created');
  receiver.secret = endpoint.data.secret;
  const until = (condition: () => boolean) =>
    Promise.race([
      failed.promise,
      new Promise<void>((resolve) => {
        look = () => condition() && resolve();
        look();
      }),
    ]);

  try {
    const imported = await importFile(client, plan);
    const { taken, refused } = imported;
    campaignId = imported.campaignId;
    unread.splice(0).forEach(take);
    const path = { campaign_id: campaignId };
    if (plan.config !== undefined) {
      await ok(client.PUT('/api/v1/campaigns/{campaign_id}/config', { params: { path }, body: plan.config }));
    }
    const isOver = (finishes: number) =>
      ledger.statuses.at(-1) === 'campaign.finished' && ledger.finishes === finishes && ledger.isComplete;

    await start(client, campaignId);
    if (plan.stopPerson !== undefined) await withdraw(client, campaignId, plan.stopPerson);
    await until(() => isOver(taken));

    const retried = await ok(
      client.POST('/api/v1/campaigns/{campaign_id}/recipients/retry', {
        params: { path },
        body: { outcomes: plan.retry },
      }),
    );
    const again = retried.data.retried;
    if (again > 0) {
      await start(client, campaignId);
      await until(() => isOver(taken + again));
    }
    return {
      campaignId,
      refused,
      heard: { people: ledger.people, calls: ledger.calls, statuses: ledger.statuses },
      retried: again,
      recipients: await exportRows(client, campaignId, 'recipients'),
      calls: await exportRows(client, campaignId, 'calls'),
    };
  } finally {
    await client.DELETE('/api/v1/webhook-endpoints/{endpoint_id}', {
      params: { path: { endpoint_id: endpoint.data.id } },
    });
    receiver.close();
  }
}

async function importFile(
  client: OutdialClient,
  { agentId, file, fileName, mapping }: SpreadsheetCampaign,
): Promise<{ campaignId: string; taken: number; refused: Report['refused'] }> {
  const { data } = await ok(
    client.POST('/api/v1/campaigns/import', {
      body: {
        file: fileName,
        campaign: JSON.stringify({ name: fileName, agent_id: agentId }),
        ...(mapping !== undefined && { mapping: JSON.stringify(mapping) }),
      },
      bodySerializer(fields) {
        const form = new FormData();
        for (const [name, value] of Object.entries(fields)) {
          if (name !== 'file' && value !== undefined) form.set(name, value);
        }
        form.set('file', file, fileName);
        return form;
      },
    }),
  );
  if (!data.campaign) throw new Error('the campaign was not created');
  return { campaignId: data.campaign.id, taken: data.taken, refused: data.refused };
}

async function start(client: OutdialClient, campaignId: string): Promise<void> {
  await ok(
    client.PUT('/api/v1/campaigns/{campaign_id}/status', {
      params: { path: { campaign_id: campaignId } },
      body: { status: 'running' },
    }),
  );
}

async function withdraw(client: OutdialClient, campaignId: string, phoneNumber: string): Promise<void> {
  const path = { campaign_id: campaignId };
  const { data } = await ok(
    client.GET('/api/v1/campaigns/{campaign_id}/recipients', {
      params: { path, query: { phone_number: phoneNumber } },
    }),
  );
  const [recipient] = data.items;
  if (recipient === undefined) throw new Error(`${phoneNumber} is not on the list`);
  await ok(
    client.DELETE('/api/v1/campaigns/{campaign_id}/recipients/{recipient_id}', {
      params: { path: { ...path, recipient_id: recipient.id } },
    }),
  );
}

async function hangUp(client: OutdialClient, callId: string): Promise<void> {
  await ok(client.POST('/api/v1/calls/{call_id}/hang-up', { params: { path: { call_id: callId } } }));
}

async function exportRows(
  client: OutdialClient,
  campaignId: string,
  of: 'recipients' | 'calls',
): Promise<string> {
  const answer = await client.GET('/api/v1/campaigns/{campaign_id}/export', {
    params: { path: { campaign_id: campaignId }, query: { of, format: 'ndjson' } },
    parseAs: 'text',
  });
  return ok(Promise.resolve(answer));
}
