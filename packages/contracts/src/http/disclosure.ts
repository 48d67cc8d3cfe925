import { recordingModes } from '@outdial/core';
import { z } from 'zod';

const jurisdiction = z
  .string()
  .describe('A country such as `DE`, a state such as `US-CA`, or `*` for everywhere.');

/** Answer of `GET /disclosures`. */
export const disclosures = z
  .object({
    texts: z
      .array(z.object({ jurisdiction, language: z.string(), text: z.string() }))
      .describe(
        'The texts with which calls begin. If none of them applies, calls begin with the default text of the service.',
      ),
    recordings: z
      .array(z.object({ jurisdiction, mode: z.enum(recordingModes) }))
      .describe(
        'Whether calls to a jurisdiction may be recorded. Elsewhere, the rules of the calling policy apply.',
      ),
  })
  .meta({
    id: 'Disclosures',
    examples: [
      {
        texts: [
          {
            jurisdiction: 'US-FL',
            language: 'en',
            text: 'This is {{agent}}, an artificial voice, calling for {{organization}}. Say stop if you do not want any more calls.',
          },
        ],
        recordings: [{ jurisdiction: 'DE', mode: 'off' as const }],
      },
    ],
  });
