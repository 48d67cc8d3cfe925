import { type Warning } from '@outdial/contracts';
import { placeFieldOf } from '@outdial/core';

/** The fields of `additional_params`, and of its recipients, that the engine reads; everything else is stored and ignored. */
const ofCampaign = ['timezone', 'prompt_params', 'recipients'];
const ofRecipient = ['timezone', 'prompt_params', 'region', 'postal_code'];

const synonyms: Readonly<Record<string, string>> = {
  params: 'prompt_params',
  promptparam: 'prompt_params',
  recipient: 'recipients',
};

const warningsAtMost = 20;

/**
 * Warns of misspelled names in `additional_params`. They are stored as sent and not refused, but a misspelled time zone means calls at the wrong
 * hours.
 */
export function nearMisses(params: Readonly<Record<string, unknown>> | null | undefined): Warning[] {
  if (params == null) return [];
  const found = missesOf(params, ofCampaign, []);
  const { recipients } = params;
  if (typeof recipients !== 'object' || recipients === null) return found;
  // A free-form object may contain anything.
  const entries: Array<[string, unknown]> = Object.entries(recipients);
  for (const [number, details] of entries) {
    if (found.length >= warningsAtMost) break;
    if (typeof details === 'object' && details !== null) {
      found.push(...missesOf(details, ofRecipient, ['recipients', number]));
    }
  }
  return found.slice(0, warningsAtMost);
}

function missesOf(of: object, known: readonly string[], path: readonly string[]): Warning[] {
  return Object.keys(of).flatMap((name) => {
    const meant = meantBy(name);
    if (known.includes(name) || meant === undefined || !known.includes(meant)) return [];
    return [
      {
        code: 'unknown_field' as const,
        loc: ['body', 'additional_params', ...path, name.slice(0, 64)],
        msg: `This field is stored but has no effect; did you mean \`${meant}\`?`,
      },
    ];
  });
}

/** The name that was meant: `timezone` for `timeZone`, `TIME-ZONE` and `tz`. */
function meantBy(name: string): string | undefined {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (Object.hasOwn(synonyms, plain)) return synonyms[plain];
  return placeFieldOf(name) ?? ofCampaign.find((known) => known.replaceAll('_', '') === plain);
}
