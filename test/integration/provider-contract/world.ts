import type { TelephonyProvider } from '@outdial/core';
import { inTransaction, type Database } from '@outdial/db';
import {
  createCampaign,
  enqueueDirectCalls,
  requestCallIn,
  setCampaignConfig,
  setCampaignStatus,
  type DialingSettings,
} from '@outdial/engine';
import type { Selectable } from 'kysely';
import { anyBackend } from '../../support/queues.ts';
import { makeOrganization, type TestOrganization } from '../../support/stack/organization.ts';
import { startStack, type Stack } from '../../support/stack/start-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';

export type CallRow = Selectable<Database['calls']>;
type RecipientRow = Selectable<Database['campaign_recipients']>;

/** The service with one provider, in real time and with a separate database. */
export interface ProviderWorld extends Pick<
  Stack,
  'db' | 'clock' | 'log' | 'baseUrl' | 'databaseUrl' | 'gateRefusals' | 'close'
> {
  organization: TestOrganization;
  /** Requests a direct call. Returns its id. */
  call(toPhone: string): Promise<string>;
  recording(callId: string, headers?: Record<string, string>): Promise<Response>;
  /** Starts a campaign whose window is always open. Returns its id. */
  campaign(
    numbers: readonly string[],
    config?: Parameters<typeof setCampaignConfig>[1]['body'],
  ): Promise<string>;
  row(callId: string): Promise<CallRow>;
  /** Waits until a call is in this phase. */
  until(callId: string, phase: CallRow['phase']): Promise<CallRow>;
  provider(): Promise<Selectable<Database['providers']>>;
  /** Lets the pause of an open circuit pass. */
  skipPause(): Promise<void>;
  /** Why a campaign does not dial now. */
  waitingFor(campaignId: string): Promise<string | null>;
  finished(campaignId: string): Promise<void>;
  /** The recipients, once none is being dialed. */
  resting(): Promise<Array<Pick<RecipientRow, 'attempts' | 'state' | 'last_outcome'>>>;
  /** Ends the process that dials, and starts another without its state. */
  restartWorker(): Promise<void>;
}

export interface WorldOptions {
  providerName: string;
  build: (baseUrl: string) => TelephonyProvider;
  settings?: Partial<DialingSettings>;
  /** Further fields of the agent's config. */
  agentConfig?: Record<string, unknown>;
  /** The hosts to which the operator lets the agent connect calls. */
  voiceHosts?: string[];
  /** The cap of the provider's row. No cap by default. */
  lines?: number;
}

export async function openProviderWorld(options: WorldOptions): Promise<ProviderWorld> {
  const { providerName } = options;
  const settings: DialingSettings = {
    ringTimeoutSeconds: 30,
    maxCallSeconds: 600,
    callQueueTimeoutSeconds: 60,
    ...options.settings,
  };
  const stack = await startStack({
    backend: anyBackend(),
    startAt: new Date().toISOString(),
    workers: 0,
    settings,
    api: { installationProvider: providerName, callTimes: settings },
    providers: { [providerName]: options.build },
  });
  const { db, clock, control, baseUrl } = stack;
  // Lines are counted only under a cap.
  await stack.setProvider(providerName, { adapter: providerName, maxLines: options.lines ?? 1_000 });
  // It listens to the provider from its start.
  stack.startWorker();
  const organization = await makeOrganization(db, {
    baseUrl,
    now: await clock.now(),
    change: { voice_hosts: options.voiceHosts ?? ['voice.example.com'] },
    ...(options.agentConfig && { agentConfig: options.agentConfig }),
  });
  const deps = { ...control, installationProvider: providerName, settings };
  const userId = organization.users.admin.id;
  const row = (callId: string) =>
    db.selectFrom('calls').selectAll().where('id', '=', callId).executeTakeFirstOrThrow();
  const provider = () =>
    db.selectFrom('providers').selectAll().where('name', '=', providerName).executeTakeFirstOrThrow();

  return {
    ...stack,
    organization,
    async call(toPhone) {
      const request = { toPhone, promptParams: { name: 'Ada' }, meta: null, createdBy: userId };
      const ofAgent = { organizationId: organization.id, agentId: organization.agentId };
      const { callId } = await inTransaction(db, (tx) => requestCallIn(tx, deps, { ...ofAgent, ...request }));
      await enqueueDirectCalls(deps, [callId]);
      return callId;
    },
    recording: (callId, headers) =>
      fetch(`${baseUrl}/api/v1/calls/${callId}/recording`, {
        headers: { 'x-api-key': organization.apiKeys.viewer, ...headers },
      }),
    async campaign(numbers, config = {}) {
      const { campaignId } = await createCampaign(deps, {
        organizationId: organization.id,
        userId,
        fields: { name: 'c', agent_id: organization.agentId, phone_numbers: [...numbers], status: 'paused' },
      });
      const campaign = { organizationId: organization.id, campaignId };
      await setCampaignConfig(control, { ...campaign, body: { call_on_weekend: true, ...config } });
      await setCampaignStatus(deps, { ...campaign, status: 'running', userId });
      return campaignId;
    },
    row,
    until: (callId, phase) =>
      waitFor(`call ${phase}`, async () => {
        const call = await row(callId);
        return call.phase === phase ? call : null;
      }),
    provider,
    async skipPause() {
      const { closed_until: until } = await provider();
      if (until !== null && until > (await clock.now())) await clock.set(until);
    },
    async waitingFor(campaignId) {
      const runtime = await db
        .selectFrom('campaign_runtime')
        .select('waiting_for')
        .where('campaign_id', '=', campaignId)
        .executeTakeFirstOrThrow();
      return runtime.waiting_for;
    },
    async finished(campaignId) {
      const { viewer } = organization.clients;
      await waitFor('finished', async () => (await viewer.readCampaign(campaignId)).status === 'finished');
    },
    resting: () =>
      waitFor('no call is on its way', async () => {
        const rows = await db
          .selectFrom('campaign_recipients')
          .select(['attempts', 'state', 'last_outcome'])
          .execute();
        return rows.some(({ state }) => state === 'dialing') ? null : rows;
      }),
    async restartWorker() {
      await stack.stopWorkers();
      stack.startWorker();
    },
  };
}
