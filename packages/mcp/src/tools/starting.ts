import { ok } from '@outdial/client';
import { z } from 'zod';
import { campaignId } from '../fields.ts';
import { planStart } from '../start-plan.ts';
import { defineTool, type Tool } from '../tool.ts';

const setStatus = (
  client: Parameters<Tool['run']>[1]['client'],
  campaign_id: string,
  body: { status: 'running' | 'paused' | 'canceled'; hang_up?: boolean },
) => ok(client.PUT('/api/v1/campaigns/{campaign_id}/status', { params: { path: { campaign_id } }, body }));

export const previewStart = defineTool({
  name: 'preview_start',
  title: 'What starting a campaign would do',
  description:
    'How many people a campaign would call, when the first of them, until when and within which hours. Changes nothing.',
  input: z.object({ campaign_id: campaignId }),
  run: ({ campaign_id }, context) => planStart(campaign_id, { ...context, now: new Date() }),
});

export const startingTools: readonly Tool[] = [
  defineTool({
    name: 'start_campaign',
    title: 'Start a campaign: people are called',
    description:
      'Calls people. Without `confirmation` nothing is started, and the answer says how many would be called and when, with the words that confirm it. ' +
      'Show these to the person you work for, and only with their consent call again with those words. A confirmation is void as soon as the list, the config, the dates or the prompt have changed.',
    needs: 'manager',
    isDestructive: true,
    input: z.object({
      campaign_id: campaignId,
      confirmation: z.string().max(300).optional().describe('Word by word as the answer without it says'),
    }),
    async run({ campaign_id, confirmation }, context) {
      const plan = await planStart(campaign_id, { ...context, now: new Date() });
      if (confirmation === undefined) {
        return { started: false, reason: 'Nothing has been started: this has to be confirmed.', plan };
      }
      if (confirmation.trim() !== plan.confirmation) {
        const reason =
          'Nothing has been started: the confirmation does not fit the campaign as it is now. Ask again with the plan that follows.';
        return { started: false, reason, plan };
      }
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
