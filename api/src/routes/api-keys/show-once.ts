import { createdApiKey, envelope } from '@outdial/contracts';
import { z } from 'zod';

/** The answer that is stored for repeated requests has no key: only the first answer shows it. */
export const createdKeyAnswer = envelope(createdApiKey).extend({
  message: z.string(),
  meta: z.record(z.string(), z.unknown()),
  data: createdApiKey,
});
