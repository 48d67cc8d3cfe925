import type { CampaignConfigBody, CreateCampaignBody } from '@outdial/contracts';
import { addPrompt, createAgent, finishCampaign, inTransaction } from '@outdial/db';
import { dialDue, inGate, wakeDueCampaigns, wakeStrandedCampaigns, type GatedCall } from '@outdial/engine';
import { recordedDials, type Dial } from '../../support/stack/dials.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';

/** Numbers in list order. The last two digits determine the simulated outcome. */
export function phoneNumbers(count: number, digits = '00', areaCode = '555'): string[] {
  return Array.from(
    { length: count },
    (_, index) => `+1${areaCode}2${String(index).padStart(4, '0')}${digits}`,
  );
}

/** The organization with another agent, which has this telephony. */
export async function withAgent(
  { db }: Stack,
  organization: TestOrganization,
  telephony: Record<string, unknown>,
): Promise<TestOrganization> {
  const { id: organizationId } = organization;
  const agentId = await createAgent(db, { organizationId, name: 'Elsewhere', config: { telephony } });
  await addPrompt(db, { organizationId, agentId, level: 1, prompt: 'Hello.' });
  return { ...organization, agentId };
}

export interface RunningCampaign {
  id: string;
  dials(): Promise<Dial[]>;
  /** Waits until this many dials have passed the gate. */
  dialed(count: number): Promise<Dial[]>;
  finished(): Promise<unknown>;
}

/** Creates a campaign with a config and sets it running. */
export async function runCampaign(
  stack: Stack,
  { clients, agentId }: TestOrganization,
  fields: Partial<CreateCampaignBody> & { phone_numbers: string[] },
  config: CampaignConfigBody = {},
): Promise<RunningCampaign> {
  const { id } = await clients.manager.createCampaign({ name: 'Test', agent_id: agentId, ...fields });
  await clients.manager.setConfig(id, config);
  await clients.manager.setStatus(id, 'running');
  const dials = () => recordedDials(stack.db, { campaignId: id });
  return {
    id,
    dials,
    dialed: (count) =>
      waitFor(`${count} dials`, async () => {
        const made = (await dials()).filter((dial) => !dial.isBeingPlaced);
        return made.length >= count && made;
      }),
    finished: () => waitFor('the campaign to finish', () => allFinished(stack, [{ id }])),
  };
}

export async function allFinished(stack: Stack, campaigns: ReadonlyArray<{ id: string }>): Promise<boolean> {
  const ids = campaigns.map((campaign) => campaign.id);
  const rows = await stack.db.selectFrom('campaigns').select('status').where('id', 'in', ids).execute();
  return rows.every((row) => row.status === 'finished');
}

/** Waits until a campaign is finished, in a stack without schedulers. Wakes it like them. */
export async function finishedWithoutScheduler(stack: Stack, campaign: { id: string }): Promise<void> {
  await waitFor('the campaign to finish', async () => {
    await wakeDueCampaigns(stack.control);
    await wakeStrandedCampaigns(stack.control);
    return allFinished(stack, [campaign]);
  });
}

/** Waits until no call is in progress. */
export async function callsOver(stack: Stack): Promise<void> {
  await waitFor('all calls to be over', async () => {
    const live = await stack.db
      .selectFrom('calls')
      .select('id')
      .where('phase', 'in', ['placing', 'ringing', 'answered'])
      .execute();
    return live.length === 0;
  });
}

/** What a dial needs, in a stack without workers. */
export function dialDeps({ control }: Stack) {
  const metrics = { ...control.metrics, callPlaced: () => undefined, gateRefused: () => undefined };
  return { ...control, metrics };
}

/** Advances a campaign like a worker, but sends nothing: the calls stay in `placing`. For stacks without workers. */
export async function dialNow(stack: Stack, campaignId: string, places = 100): Promise<GatedCall[]> {
  const { db } = stack;
  const calls: GatedCall[] = [];
  for (;;) {
    const left = places - calls.length;
    const { steps } = await inGate(db, (tx) => dialDue(tx, dialDeps(stack), [campaignId], () => left));
    const step = steps.get(campaignId);
    if (step?.kind === 'finish') {
      const { organizationId } = step;
      await inTransaction(db, (tx) => finishCampaign(tx, { organizationId, campaignId }));
    }
    if (step?.kind !== 'moved') return calls;
    calls.push(...step.calls);
    if (!step.more || calls.length >= places) return calls;
  }
}
