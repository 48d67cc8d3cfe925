import { ok } from '@outdial/client';
import { z } from 'zod';
import { campaignId } from '../fields.ts';
import { planStart, questionOf } from '../start-plan.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';

const setStatus = (
  client: Parameters<Tool['run']>[1]['client'],
  campaign_id: string,
  body: { status: 'running' | 'paused' | 'canceled'; hang_up?: boolean },
) => ok(client.PUT('/api/v1/campaigns/{campaign_id}/status', { params: { path: { campaign_id } }, body }));

export const previewStart = defineTool({
  name: 'preview_start',
  title: 'What starting a campaign would do',
  description:
    'How many people a campaign would call, when the first of them, until when, within which hours and from which numbers. Changes nothing.',
  input: z.object({ campaign_id: campaignId }),
  async run({ campaign_id }, context) {
    // Hosts allow reading without asking anybody, so the words that start a campaign are not in this answer.
    const { confirmation, ...plan } = await planStart(campaign_id, { ...context, now: new Date() });
    void confirmation;
    return plan;
  },
});

interface Refused {
  started: false;
  reason: string;
}

const noPerson: Refused = {
  started: false,
  reason:
    'Nothing has been started: here a person has to confirm in the client itself, and this client cannot ask one. Start the campaign in the console.',
};
const changed =
  'Nothing has been started: the confirmation does not fit the campaign as it is now. Ask again with the plan that follows.';

/** Asks the host's person about the plan, and starts if it still holds afterwards. */
async function startAsked(
  campaign_id: string,
  context: ToolContext & { askPerson: NonNullable<ToolContext['askPerson']> },
): Promise<unknown> {
  const { client, askPerson } = context;
  const plan = await planStart(campaign_id, { ...context, now: new Date() });
  const signal = await askPerson(questionOf(plan));
  if (signal === null) {
    return {
      started: false,
      reason: 'Nothing has been started: the person did not agree.',
    } satisfies Refused;
  }
  const now = await planStart(campaign_id, { client, signal, now: new Date() });
  if (now.confirmation !== plan.confirmation) {
    return {
      started: false,
      reason: 'Nothing has been started: the campaign has changed while the person was asked. Ask again.',
    } satisfies Refused;
  }
  return { started: true, ...(await setStatus(client, campaign_id, { status: 'running' })) };
}

export const startingTools: readonly Tool[] = [
  defineTool({
    name: 'start_campaign',
    title: 'Start a campaign: people are called',
    description:
      'Calls people. Where the client can ask its person, it does, and nothing else starts the campaign. Elsewhere nothing is started without `confirmation`, and the answer says how many would be called and when, with the words that confirm it. ' +
      'Show these to the person you work for, and only with their consent call again with those words. A confirmation is void as soon as anything that it depends on has changed: the list, the config, the dates, the agent, the caller ids, the settings of the organization.',
    needs: 'manager',
    isDestructive: true,
    input: z.object({
      campaign_id: campaignId,
      confirmation: z.string().max(300).optional().describe('Word by word as the answer without it says'),
    }),
    async run({ campaign_id, confirmation }, context) {
      const { askPerson } = context;
      if (askPerson !== null) return startAsked(campaign_id, { ...context, askPerson });
      if (context.requirePerson) return noPerson;
      const plan = await planStart(campaign_id, { ...context, now: new Date() });
      if (confirmation === undefined) {
        return { started: false, reason: 'Nothing has been started: this has to be confirmed.', plan };
      }
      if (confirmation.trim() !== plan.confirmation) return { started: false, reason: changed, plan };
      return { started: true, ...(await setStatus(context.client, campaign_id, { status: 'running' })) };
    },
  }),
  defineTool({
    name: 'pause_campaign',
    title: 'Pause a campaign',
    description: 'Nothing is dialed after this is answered. Calls in progress go on.',
    needs: 'manager',
    input: z.object({ campaign_id: campaignId }),
    run: ({ campaign_id }, { client }) => setStatus(client, campaign_id, { status: 'paused' }),
  }),
  defineTool({
    name: 'cancel_campaign',
    title: 'Cancel a campaign for good',
    description:
      'Ends a campaign: it cannot run again. `hang_up` ends its calls in progress as well. To stop for a while, pause it. `name` must be the name of the campaign.',
    needs: 'manager',
    isDestructive: true,
    input: z.object({
      campaign_id: campaignId,
      name: z.string().max(255).describe('Of the campaign, as a confirmation'),
      hang_up: z.boolean().default(false),
    }),
    async run({ campaign_id, name, hang_up }, { client, signal }) {
      const { data } = await ok(
        client.GET('/api/v1/campaigns/{campaign_id}', {
          params: { path: { campaign_id }, query: { fields: 'summary' } },
          signal,
        }),
      );
      if (data.name !== name) {
        return {
          canceled: false,
          reason: `Nothing has been canceled: the campaign is named ${data.name}.`,
        };
      }
      return { canceled: true, ...(await setStatus(client, campaign_id, { status: 'canceled', hang_up })) };
    },
  }),
];
