import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { advanceCampaignJob, checkCallJob, jobCatalogue, placeCallJob } from '../index.ts';

describe('the job catalogue', () => {
  test('names are unique and can be part of a Redis key', () => {
    const names = jobCatalogue.map((job) => job.name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    }
  });

  test('the queue never retries jobs that dial', () => {
    for (const job of [placeCallJob, checkCallJob]) {
      expect(job.retry.attempts).toBe(1);
      expect(job.rerunAfterCrash).toBe(false);
    }
  });

  test('unknown fields of a newer publisher are dropped', () => {
    const campaignId = randomUUID();
    const parsed = advanceCampaignJob.payload.parse({ campaign_id: campaignId, shard: 7 });
    expect(parsed).toEqual({ campaign_id: campaignId });
    expect(advanceCampaignJob.deduplicateBy?.(parsed)).toBe(campaignId);
  });
});
