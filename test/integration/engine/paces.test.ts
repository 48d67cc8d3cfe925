import { describe, expect, test } from 'vitest';
import { engineBackends } from '../../support/queues.ts';
import { mostInASecond } from '../../support/intervals.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { allFinished, phoneNumbers, runCampaign } from './campaign.ts';

describe.each(engineBackends())('calls per second, queues on %s', (backend) => {
  test(
    'of a campaign and of a provider: never more in any second, and everybody is called',
    { timeout: 150_000 },
    async () => {
      const stack = await useStack({ backend, workers: 2, schedulers: 2 });
      await stack.setProvider('paced', { callsPerSecond: 12 });
      const seconds = 4;
      const paced = [
        {
          of: 'a campaign',
          limit: 20,
          campaign: await runCampaign(
            stack,
            await stack.organization(),
            { phone_numbers: phoneNumbers(20 * seconds) },
            { max_concurrent_calls: 50, calls_per_second: 20 },
          ),
        },
        {
          of: 'a provider',
          limit: 12,
          campaign: await runCampaign(
            stack,
            await stack.organization({ default_provider: 'paced' }),
            { phone_numbers: phoneNumbers(12 * seconds) },
            { max_concurrent_calls: 50 },
          ),
        },
      ];
      for (const { limit, campaign } of paced) {
        await waitFor('the campaign to finish', () => allFinished(stack, [campaign]), { withinMs: 60_000 });
        const dials = await campaign.dials();
        expect(dials).toHaveLength(limit * seconds);
        expect(mostInASecond(dials.map((dial) => dial.gatedAt.getTime()))).toBeLessThanOrEqual(limit);
      }
    },
  );
});
