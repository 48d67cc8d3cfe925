import { eventTypes, ok, usageGroups } from '@outdial/client';
import { z } from 'zod';
import { defined, instant, pageShape } from '../fields.ts';
import { defineTool, type Tool } from '../tool.ts';

export const organizationReads: readonly Tool[] = [
  defineTool({
    name: 'list_agents',
    title: 'List agents',
    description: 'The voice agents of the organization.',
    input: z.object(pageShape),
    run: (query, { client, signal }) =>
      ok(client.GET('/api/v1/agents', { params: { query: defined(query) }, signal })),
  }),
  defineTool({
    name: 'read_agent',
    title: 'Read an agent',
    description: 'One agent with its skills, its config and its newest prompt.',
    input: z.object({ agent_id: z.string().max(64) }),
    run: ({ agent_id }, { client, signal }) =>
      ok(client.GET('/api/v1/agents/{agent_id}', { params: { path: { agent_id } }, signal })),
  }),
  defineTool({
    name: 'usage',
    title: 'Usage',
    description: 'Calls, minutes and cost by outcome, for each day, campaign or agent.',
    input: z.object({
      from: instant.optional(),
      to: instant.optional(),
      by: z.enum(usageGroups).default('day'),
    }),
    run: (query, { client, signal }) =>
      ok(client.GET('/api/v1/usage', { params: { query: defined(query) }, signal })),
  }),
  defineTool({
    name: 'list_events',
    title: 'List events',
    description:
      'Events in order, oldest first: calls that began and ended, people who will not be called again, campaigns that started and finished. Continue with `after`.',
    input: z.object({
      after: z.string().max(64).optional().describe('The id of the last event that was read'),
      types: z.array(z.enum(eventTypes)).min(1).optional(),
      limit: pageShape.limit,
    }),
    run: (query, { client, signal }) =>
      ok(client.GET('/api/v1/events', { params: { query: defined(query) }, signal })),
  }),
  defineTool({
    name: 'list_suppressions',
    title: 'List suppressions',
    description: 'Numbers that are never dialed, newest first.',
    input: z.object(pageShape),
    run: (query, { client, signal }) =>
      ok(client.GET('/api/v1/suppressions', { params: { query: defined(query) }, signal })),
  }),
];
