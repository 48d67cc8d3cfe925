import { outcomes } from '@outdial/core';
import { z } from 'zod';

/** Outcomes that a campaign may name in `retry_on`; how an attempt ended is in `meta.outcome` of its call. */
export const outcome = z.enum(outcomes);
