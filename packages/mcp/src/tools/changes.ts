import { ok } from '@outdial/client';
import { z } from 'zod';
import { campaignId, defined, phoneNumber } from '../fields.ts';
import { defineTool, type Tool } from '../tool.ts';

const peopleAtMost = 10_000;

/** Refuses a number that occurs twice: of two names for one number, one would be lost. */
function eachOnce(people: ReadonlyArray<{ phone_number: string }>, context: z.RefinementCtx): void {
  const places = new Map<string, number>();
  for (const [at, { phone_number: number }] of people.entries()) {
    const before = places.get(number);
    if (before === undefined) {
      places.set(number, at);
    } else {
      const message = `repeats the number of people[${before}]`;
      context.addIssue({ code: 'custom', path: [at, 'phone_number'], message });
    }
  }
}

/** Nothing about a person is dropped, such as a state under another name, by which the calling hours would differ. */
function unknownOfPerson(issue: { code?: string; keys?: unknown }): string | undefined {
  if (issue.code !== 'unrecognized_keys' || !Array.isArray(issue.keys)) return undefined;
  return `Unknown: ${issue.keys.join(', ')}. A person has phone_number, timezone, region, postal_code and prompt_params, for everything else`;
}

const pauseFirst =
  'Nothing has been changed: the campaign runs, and was confirmed with the config that it has. To change it, pause it first; starting it again has to be confirmed.';

/** Tools that change data without placing a call. */
export const changes: readonly Tool[] = [
  defineTool({
    name: 'create_campaign',
    title: 'Create a campaign, as a draft',
    description:
      'Creates a draft: no one is called before it is started. Give each person a value for every placeholder in the prompt of the agent.',
    needs: 'member',
    input: z.object({
      name: z.string().min(1).max(255),
      agent_id: z.string().max(64),
      people: z
        .array(
          z.strictObject(
            {
              phone_number: phoneNumber,
              prompt_params: z.record(z.string(), z.string()).optional(),
              timezone: z.string().max(64).optional().describe('IANA, such as America/New_York'),
              region: z
                .string()
                .max(16)
                .optional()
                .describe('A country (`DE`), or a state or province of the US or Canada (`US-FL`)'),
              postal_code: z.string().max(16).optional().describe('Of the US or Canada'),
            },
            { error: unknownOfPerson },
          ),
        )
        .min(1)
        .max(peopleAtMost)
        .superRefine(eachOnce),
      start_date: z.string().max(64).optional(),
      end_date: z.string().max(64).optional(),
      start_time: z.string().max(8).optional().describe('HH:MM'),
      end_time: z.string().max(8).optional().describe('HH:MM'),
      timezone: z.string().max(64).optional().describe('IANA, such as America/New_York'),
    }),
    run({ people, timezone, ...fields }, { client }) {
      const own = people.map(({ phone_number, ...details }) => [phone_number, defined(details)] as const);
      const additional_params = { ...defined({ timezone }), recipients: Object.fromEntries(own) };
      const phone_numbers = people.map((person) => person.phone_number);
      const { name, agent_id, ...optional } = fields;
      const body = { name, agent_id, phone_numbers, additional_params, ...defined(optional) };
      return ok(client.POST('/api/v1/campaigns', { body }));
    },
  }),
  defineTool({
    name: 'set_campaign_config',
    title: 'Change the config of a campaign',
    description:
      'Changes what it names: call-backs, lines, weekends. A running campaign has to be paused first, because it has been confirmed as it is.',
    needs: 'manager',
    input: z.object({
      campaign_id: campaignId,
      call_on_weekend: z.boolean().optional(),
      call_back_attempts: z.int().min(0).max(10).optional(),
      retry_delay_seconds: z.int().min(0).optional(),
      max_concurrent_calls: z.int().min(1).optional(),
    }),
    async run({ campaign_id, ...body }, { client, signal }) {
      const params = { path: { campaign_id } };
      const { data } = await ok(
        client.GET('/api/v1/campaigns/{campaign_id}', {
          params: { ...params, query: { fields: 'summary' } },
          signal,
        }),
      );
      if (data.status === 'running') return { changed: false, reason: pauseFirst };
      return ok(client.PUT('/api/v1/campaigns/{campaign_id}/config', { params, body: defined(body) }));
    },
  }),
  defineTool({
    name: 'withdraw_recipient',
    title: 'Take one person off a campaign',
    description: 'The person is not called any more. `hang_up` ends a call in progress as well.',
    needs: 'manager',
    isDestructive: true,
    input: z.object({
      campaign_id: campaignId,
      recipient_id: z.string().max(64),
      hang_up: z.boolean().default(false),
    }),
    run: ({ campaign_id, recipient_id, hang_up }, { client }) =>
      ok(
        client.DELETE('/api/v1/campaigns/{campaign_id}/recipients/{recipient_id}', {
          params: { path: { campaign_id, recipient_id }, query: { hang_up } },
        }),
      ),
  }),
  defineTool({
    name: 'hang_up_call',
    title: 'End a call',
    description: 'Ends a call in progress at the carrier.',
    needs: 'member',
    isDestructive: true,
    input: z.object({ call_id: z.string().max(64) }),
    run: ({ call_id }, { client }) =>
      ok(client.POST('/api/v1/calls/{call_id}/hang-up', { params: { path: { call_id } } })),
  }),
  defineTool({
    name: 'add_suppression',
    title: 'Never dial a number',
    description: 'Puts a number on the list of those that the organization never dials.',
    needs: 'member',
    input: z.object({ phone_number: phoneNumber, reason: z.string().max(255).optional() }),
    run: ({ phone_number, ...optional }, { client }) =>
      ok(client.POST('/api/v1/suppressions', { body: { phone_number, ...defined(optional) } })),
  }),
];
