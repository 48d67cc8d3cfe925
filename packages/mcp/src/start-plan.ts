import { createHash } from 'node:crypto';
import { allItems, ok } from '@outdial/client';
import type { ToolContext } from './tool.ts';

/** The effect of starting a campaign in its current state. */
interface StartPlan {
  campaign: string;
  status: string;
  agent_id: string;
  /** People who have not been called yet, or will be called again. */
  people_to_call: number;
  /** The earliest instants at which the first page of those people may be called. */
  first_call: string;
  start_date: string;
  end_date: string | null;
  hours: string;
  /** The zone of the dates and hours. */
  timezone: string;
  /** The numbers that the organization calls from; empty if the provider's own is used. At most the first 20. */
  caller_ids: string[];
  /** The caller that starts the campaign must repeat this text word for word. */
  confirmation: string;
}

/** A call that is due within this time counts as due now, because the text of a confirmation must not change every second. */
const atOnceMs = 120_000;
const peopleLookedAt = 100;
const callerIdsShown = 20;

/**
 * Reads the effect of a start. The confirmation has the number of people and the times, and ends with a digest of all that decides who is called, when,
 * from which number and what they hear: the campaign with its list, its config, its agent with the prompt, the settings of the organization with its
 * zone and rules, its caller ids and its disclosures. So any change invalidates it. Nothing is stored between the two calls.
 */
export async function planStart(
  campaignId: string,
  { client, signal, now }: Pick<ToolContext, 'client' | 'signal'> & { now: Date },
): Promise<StartPlan> {
  const params = { path: { campaign_id: campaignId } };
  const summary = await ok(
    client.GET('/api/v1/campaigns/{campaign_id}', {
      params: { ...params, query: { fields: 'summary' } },
      signal,
    }),
  );
  const { data: campaign } = summary;
  if (!('timezone' in campaign)) throw new Error('there is no summary of the campaign');
  const progress = await ok(client.GET('/api/v1/campaigns/{campaign_id}/progress', { params, signal }));
  const people = progress.data.recipients.waiting + progress.data.recipients.retrying;
  const firstCall = await firstCallOf(campaignId, { client, signal, now });
  const callerIds = await callerIdsOf({ client, signal });
  const digest = await digestOf(campaignId, campaign.agent_id, { callerIds, client, signal });
  const until = campaign.end_date === null ? '' : `, until ${campaign.end_date}`;
  return {
    campaign: campaign.name,
    status: campaign.status,
    agent_id: campaign.agent_id,
    people_to_call: people,
    first_call: firstCall,
    start_date: campaign.start_date,
    end_date: campaign.end_date,
    hours: `${campaign.start_time} to ${campaign.end_time}`,
    timezone: campaign.timezone,
    caller_ids: callerIds
      .filter(({ state }) => state !== 'pending')
      .slice(0, callerIdsShown)
      .map(({ phone_number: number }) => number),
    confirmation: `call ${people} people ${firstCall}${until} (${digest})`,
  };
}

async function firstCallOf(
  campaignId: string,
  { client, signal, now }: Pick<ToolContext, 'client' | 'signal'> & { now: Date },
): Promise<string> {
  const pages = (['waiting', 'retrying'] as const).map((state) =>
    ok(
      client.GET('/api/v1/campaigns/{campaign_id}/recipients', {
        params: { path: { campaign_id: campaignId }, query: { state, limit: peopleLookedAt } },
        signal,
      }),
    ),
  );
  const instants = (await Promise.all(pages))
    .flatMap((page) => page.data.items)
    .flatMap(({ next_attempt_at: at }) => (at === null ? [] : [at]));
  const [first] = instants.toSorted();
  if (first === undefined) return 'never';
  return new Date(first).getTime() - now.getTime() <= atOnceMs ? 'at once' : `from ${first}`;
}

/** The caller ids, without what changes with each call. */
async function callerIdsOf({ client, signal }: Pick<ToolContext, 'client' | 'signal'>) {
  const all = allItems((cursor) =>
    client.GET('/api/v1/caller-ids', {
      params: { query: { limit: 1_000, ...(cursor !== undefined && { cursor }) } },
      signal,
    }),
  );
  const found = [];
  for await (const { id, phone_number, agent_id, attestation, prefixes, state } of all) {
    found.push({ id, phone_number, agent_id, attestation, prefixes, state });
  }
  return found;
}

/** Bytes are hashed as they arrive, so a list of a million numbers is not in memory. */
async function digestOf(
  campaignId: string,
  agentId: string,
  { callerIds, client, signal }: Pick<ToolContext, 'client' | 'signal'> & { callerIds: readonly object[] },
): Promise<string> {
  const hash = createHash('sha256');
  const path = { campaign_id: campaignId };
  const answers = [
    await client.GET('/api/v1/campaigns/{campaign_id}', { params: { path }, parseAs: 'stream', signal }),
    await client.GET('/api/v1/campaigns/{campaign_id}/config', {
      params: { path },
      parseAs: 'stream',
      signal,
    }),
    await client.GET('/api/v1/agents/{agent_id}', {
      params: { path: { agent_id: agentId } },
      parseAs: 'stream',
      signal,
    }),
    await client.GET('/api/v1/organization', { parseAs: 'stream', signal }),
    await client.GET('/api/v1/disclosures', { parseAs: 'stream', signal }),
  ];
  for (const answer of answers) {
    const body: ReadableStream<Uint8Array> = await ok(Promise.resolve(answer));
    for await (const chunk of body) hash.update(chunk);
    hash.update('\n');
  }
  hash.update(JSON.stringify(callerIds));
  return hash.digest('hex').slice(0, 12);
}

const nameShown = 120;

/** What a person is asked before people are called. The name comes last and in one line, because the assistant may have chosen it. */
export function questionOf(plan: StartPlan): string {
  const from = plan.caller_ids.length === 0 ? '' : ` from ${plan.caller_ids.join(', ')}`;
  const name = plan.campaign
    .replaceAll('"', '')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  return (
    `Start a campaign? It will ${plan.confirmation}${from}. Hours: ${plan.hours}, in ${plan.timezone}. ` +
    `Its name: "${name.length > nameShown ? `${name.slice(0, nameShown).toWellFormed()}…` : name}"`
  );
}
