import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { phoneNumbers, recipientsOf, runCampaign } from './campaign.ts';

test('a retry that a caller requests dials once more, whatever the maximum says', async () => {
  const stack = await useStack({ backend: anyBackend() });
  const organization = await stack.organization();
  const { manager } = organization.clients;
  const [busy = ''] = phoneNumbers(1, '91');
  const campaign = await runCampaign(
    stack,
    organization,
    { phone_numbers: [busy] },
    { max_attempts_per_recipient: 1, call_back_attempts: 3, retry_delay_seconds: 1 },
  );
  await campaign.finished();
  expect(await campaign.dials()).toHaveLength(1);
  expect(await manager.retryRecipients(campaign.id, ['busy'])).toEqual({ retried: 1, status: 'paused' });
  await manager.setStatus(campaign.id, 'running');
  await campaign.finished();
  expect(await campaign.dials()).toHaveLength(2);
  expect(await recipientsOf(stack, campaign.id)).toEqual({
    [busy]: { state: 'done', attempts: 2, outcome: 'busy' },
  });
});
