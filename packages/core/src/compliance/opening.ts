import { formatIncompletePhoneNumber } from 'libphonenumber-js/max';
import { renderPrompt } from '../prompt.ts';
import type { CallingPolicy } from './calling-policy.ts';
import type { CallerPlace } from './caller-place.ts';
import { placesOf } from './calling-key.ts';
import { recordingLaw, recordingModes, type RecordingMode } from './recording-law.ts';

/** The operator's settings for an organization, by jurisdiction: a state (`US-CA`), a country (`DE`) or `*`. */
export interface OpeningRules {
  texts: ReadonlyArray<{ jurisdiction: string; language: string; text: string }>;
  recordings: ReadonlyArray<{ jurisdiction: string; mode: RecordingMode }>;
}

/** The announcement before the agent's own greeting, and whether the call may be recorded. */
export interface Opening {
  /** Null if no announcement is required. */
  disclosure: { text: string; language: string } | null;
  /** Null if no rule applies; the agent's config then decides. */
  recording: RecordingMode | null;
}

export interface OpenedCall {
  policy: CallingPolicy;
  phoneNumber: string;
  /** What the caller said of the person's location. */
  place: CallerPlace;
  /** Whether the agent's config requests a disclosure. */
  isAsked: boolean;
  /** A language tag, such as `pt-BR`. */
  language: string;
  /** Whether the agent's config requests a recording. */
  records: boolean;
  organizationName: string;
  agentName: string;
  /** The number from which the call is made; null if the provider chooses it. */
  fromPhone: string | null;
}

/** Where the built-in texts come from. */
export const builtInDisclosure = {
  name: 'the built-in disclosure',
  citation: '47 CFR 64.1200(b); Regulation (EU) 2024/1689, article 50',
  asOf: '2026-11-27',
};

/**
 * Names the caller, says that the voice is artificial, and how to stop calls (47 CFR 64.1200(b)(1); Regulation (EU) 2024/1689, article 50), and then the
 * telephone number (47 CFR 64.1200(b)(2)), if it is known.
 */
const ownTexts: Readonly<Record<string, { disclosure: string; number: string; recorded: string }>> = {
  en: {
    disclosure:
      'Hello, this is {{agent}} calling for {{organization}}, with an artificial voice. Tell me at any time if you want no more calls.',
    number: 'You can reach us at {{phone}}.',
    recorded: 'This call is recorded.',
  },
  de: {
    disclosure:
      'Guten Tag, hier ist {{agent}} im Auftrag von {{organization}}, mit einer künstlichen Stimme. Sagen Sie mir jederzeit, wenn Sie keine Anrufe mehr wünschen.',
    number: 'Sie erreichen uns unter {{phone}}.',
    recorded: 'Dieses Gespräch wird aufgezeichnet.',
  },
  es: {
    disclosure:
      'Hola, le llama {{agent}} de parte de {{organization}}, con una voz artificial. Dígame en cualquier momento si no desea más llamadas.',
    number: 'Puede contactarnos en el {{phone}}.',
    recorded: 'Esta llamada se graba.',
  },
  fr: {
    disclosure:
      'Bonjour, ici {{agent}} pour {{organization}}, avec une voix artificielle. Dites-moi à tout moment si vous ne souhaitez plus d’appels.',
    number: 'Vous pouvez nous joindre au {{phone}}.',
    recorded: 'Cet appel est enregistré.',
  },
  it: {
    disclosure:
      'Buongiorno, sono {{agent}} per conto di {{organization}}, con una voce artificiale. Mi dica in qualsiasi momento se non desidera altre chiamate.',
    number: 'Può contattarci al numero {{phone}}.',
    recorded: 'Questa chiamata viene registrata.',
  },
  nl: {
    disclosure:
      'Goedendag, u spreekt met {{agent}} namens {{organization}}, met een kunstmatige stem. Zeg het mij op elk moment als u niet meer gebeld wilt worden.',
    number: 'U kunt ons bereiken op {{phone}}.',
    recorded: 'Dit gesprek wordt opgenomen.',
  },
  pt: {
    disclosure:
      'Olá, fala {{agent}} em nome de {{organization}}, com uma voz artificial. Diga-me a qualquer momento se não quiser mais chamadas.',
    number: 'Pode contactar-nos pelo {{phone}}.',
    recorded: 'Esta chamada é gravada.',
  },
};

/**
 * The opening of a call: the texts for every place where the person may be, each once, and the strictest of the rules about recordings. Under a policy of `none` there is an announcement only if the
 * agent requests it or the operator has set a text, and only the operator's settings govern recordings.
 */
export function openingOf(call: OpenedCall, rules: OpeningRules): Opening {
  const isDue = call.isAsked || call.policy !== 'none';
  // Most calls do not depend on the place.
  if (!isDue && rules.texts.length === 0 && rules.recordings.length === 0) {
    return { disclosure: null, recording: null };
  }
  const places = [
    ...new Set(placesOf({ phoneNumber: call.phoneNumber, ...call.place }).map((one) => one.jurisdiction)),
  ];
  const chains = (places.length === 0 ? ['*'] : places).map(widening);
  const recording = strictest(
    chains.map((chain, at) => {
      const set = firstOf(chain, (place) => rules.recordings.find((one) => one.jurisdiction === place));
      return set?.mode ?? (call.policy === 'none' ? null : recordingLaw(places[at] ?? '*'));
    }),
  );
  const own = ownTexts[primaryOf(call.language)] ?? ownTexts['en'];
  const texts = chains.flatMap((chain) => {
    const set = textOf(chain, call.language, rules);
    if (set !== undefined) return [set];
    return isDue ? [builtIn(own, call.fromPhone)] : [];
  });
  const isAnnounced = call.records && recording === 'announced';
  if (isAnnounced) texts.push(own?.recorded ?? '');
  const values = {
    agent: call.agentName,
    organization: call.organizationName,
    phone: call.fromPhone === null ? '' : spacedOut(call.fromPhone),
  };
  const said = [...new Set(texts)].map((text) => renderPrompt(text, values).text).join(' ');
  return { disclosure: said === '' ? null : { text: said, language: call.language }, recording };
}

const spacedOutNumbers = new Map<string, string>();
const spacedOutAtMost = 10_000;

/** A number in groups of digits, as people write it. Cached, because it takes 50 µs, and many calls come from one number. */
function spacedOut(phone: string): string {
  let text = spacedOutNumbers.get(phone);
  if (text === undefined) {
    if (spacedOutNumbers.size >= spacedOutAtMost) spacedOutNumbers.clear();
    spacedOutNumbers.set(phone, (text = formatIncompletePhoneNumber(phone)));
  }
  return text;
}

function builtIn(own: (typeof ownTexts)[string] | undefined, fromPhone: string | null): string {
  if (own === undefined) return '';
  return fromPhone === null ? own.disclosure : `${own.disclosure} ${own.number}`;
}

function textOf(chain: readonly string[], language: string, { texts }: OpeningRules): string | undefined {
  return firstOf(chain, (place) => {
    const here = texts.filter((one) => one.jurisdiction === place);
    return (
      here.find((one) => one.language === language) ??
      here.find((one) => primaryOf(one.language) === primaryOf(language))
    );
  })?.text;
}

/** A jurisdiction, its country, and `*`. */
function widening(jurisdiction: string): string[] {
  if (jurisdiction === '*') return ['*'];
  return [...new Set([jurisdiction, jurisdiction.slice(0, 2), '*'])];
}

function firstOf<T>(chain: readonly string[], find: (place: string) => T | undefined): T | undefined {
  for (const place of chain) {
    const found = find(place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function strictest(modes: ReadonlyArray<RecordingMode | null>): RecordingMode | null {
  return recordingModes.find((mode) => modes.includes(mode)) ?? null;
}

function primaryOf(language: string): string {
  return language.split('-')[0]?.toLowerCase() ?? language;
}
