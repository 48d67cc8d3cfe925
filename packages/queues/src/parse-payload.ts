import { z } from 'zod';
import type { JobDefinition, JobPayload } from '@outdial/contracts';
import { InvalidJobPayloadError } from './errors.ts';

/** @throws InvalidJobPayloadError */
export function parsePayload<Job extends JobDefinition>(job: Job, data: unknown): JobPayload<Job> {
  const schema: Job['payload'] = job.payload;
  const result = z.safeParse(schema, data);
  if (!result.success) {
    const faults = result.error.issues.map(
      (issue) => `${issue.path.join('.') || 'payload'}: ${issue.message}`,
    );
    throw new InvalidJobPayloadError(job.name, faults.join('; '));
  }
  return result.data;
}
