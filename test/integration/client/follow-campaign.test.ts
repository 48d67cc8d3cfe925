import { createOutdialClient } from '@outdial/client';
import { callEverybody } from '@outdial/follow-campaign';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { phoneNumbers } from '../engine/campaign.ts';

test('the example calls every person and learns of each call by webhooks alone', async () => {
  const stack = await useStack({ backend: anyBackend() });
  const { agentId, apiKeys } = await stack.organization();
  const client = createOutdialClient({ baseUrl: stack.baseUrl, apiKey: apiKeys.admin });
  const reached = phoneNumbers(5);
  const busy = phoneNumbers(2, '91');
  const people = [...reached, ...busy].map((phoneNumber) => ({
    phoneNumber,
    promptParams: { name: 'Ada', topic: 'the news' },
  }));
  const outcomes = await callEverybody(client, { agentId, people });
  expect(Object.fromEntries(outcomes)).toEqual({
    ...Object.fromEntries(reached.map((number) => [number, 'completed'])),
    ...Object.fromEntries(busy.map((number) => [number, 'busy'])),
  });
});
