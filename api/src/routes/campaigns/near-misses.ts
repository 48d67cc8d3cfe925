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
 * Warns of misspelled names in `additional_params`, and of every unknown name of a person. They are stored as sent and not refused, but a misspelled
 * time zone means calls at the wrong hours, and a name beside `prompt_params` is never spoken.
 */
export function nearMisses(params: Readonly<Record<string, unknown>> | null | undefined): Warning[] {
  if (params == null) return [];
  const found: Warning[] = [];
  let more = 0;
  const note = (path: readonly string[], hint: string) => {
    if (found.length >= warningsAtMost) more += 1;
    else found.push(withoutEffect(path, hint));
  };
  for (const name of Object.keys(params)) {
    const meant = meantBy(name);
    if (ofCampaign.includes(name) || meant === undefined || !ofCampaign.includes(meant)) continue;
    note([name], `; did you mean \`${meant}\`?`);
  }
  const { recipients } = params;
  // A free-form object may contain anything.
  const people: Array<[string, unknown]> =
    typeof recipients === 'object' && recipients !== null ? Object.entries(recipients) : [];
  for (const [number, details] of people) {
    if (typeof details !== 'object' || details === null) continue;
    for (const name of Object.keys(details)) {
      if (!ofRecipient.includes(name)) note(['recipients', number, name], hintOf(name));
    }
  }
  if (more === 0) return found;
  const msg = `${more} more fields are stored but have no effect`;
  return [...found, { code: 'unknown_field', loc: ['body', 'additional_params'], msg }];
}

function hintOf(name: string): string {
  const meant = meantBy(name);
  if (meant !== undefined && ofRecipient.includes(meant)) return `; did you mean \`${meant}\`?`;
  return '; values for the prompt belong in `prompt_params`';
}

function withoutEffect(path: readonly string[], hint: string): Warning {
  return {
    code: 'unknown_field',
    loc: ['body', 'additional_params', ...path.map((step) => step.slice(0, 64).toWellFormed())],
    msg: `This field is stored but has no effect${hint}`,
  };
}

/** The name that was meant: `timezone` for `timeZone`, `TIME-ZONE` and `tz`. */
function meantBy(name: string): string | undefined {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (Object.hasOwn(synonyms, plain)) return synonyms[plain];
  return placeFieldOf(name) ?? ofCampaign.find((known) => known.replaceAll('_', '') === plain);
}
