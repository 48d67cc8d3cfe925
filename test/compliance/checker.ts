import { texts, type Asked, type Purpose, type TextRule } from './texts.ts';
import { wallClock } from '../oracle/wall-clock.ts';
import type { Somewhere } from './people.ts';
import { withImported, type ImportedRules } from './imported.ts';

/** The rules that the operator imported; null for none. */
let imported: ImportedRules | null = null;

/** @param document the text of the file that was imported; null for none */
export function readImport(document: string | null): void {
  imported = document === null ? null : (JSON.parse(document) as ImportedRules);
}

type Policy = 'strict' | 'standard';
type Where = Pick<Somewhere, 'country' | 'region'>;

/** The rules that apply at a place: the country's, and under strict the region's. */
function rulesAt({ country, region }: Where, policy: Policy): TextRule[] {
  const ofCountry = withImported(texts[country] ?? texts['elsewhere'], imported, country);
  const ofRegion =
    policy === 'strict' && region !== null ? withImported(texts[region], imported, region) : undefined;
  return [ofCountry, ofRegion].filter((rule) => rule !== undefined);
}

/** Whether a rule's text allows a call at an instant by the clock of a zone, according to `Intl`. */
function allows(rule: TextRule, zone: string, at: number): boolean {
  if (rule.emergencies?.some(({ from, to }) => from <= at && at < to) === true) return false;
  const { date, msOfDay } = wallClock(zone, at);
  if (rule.closed?.includes(date) === true) return false;
  if (rule.from?.days.includes(date) === true && msOfDay < msOf(rule.from.time)) return false;
  if (rule.until?.days.includes(date) === true && msOfDay >= msOf(rule.until.time)) return false;
  const weekday = new Date(`${date}T12:00:00Z`).getUTCDay();
  const spans = weekday === 0 ? rule.sunday : weekday === 6 ? rule.saturday : rule.weekdays;
  return spans.split(',').some((span) => {
    if (span === '-') return false;
    const [from = '', to = ''] = span.split('-');
    return msOfDay >= msOf(from) && msOfDay < msOf(to);
  });
}

/** The caps per person of the texts for a place, as calls in a number of hours. */
export function capsAt(where: Where, policy: Policy): Array<{ calls: number; hours: number }> {
  return rulesAt(where, policy).flatMap(({ caps = '' }) =>
    caps.split(' ').flatMap((cap) => {
      const [calls = '', hours = ''] = cap.split('/');
      return cap === '' ? [] : [{ calls: Number(calls), hours: Number.parseInt(hours) }];
    }),
  );
}

/** The strictest consent that the texts ask for at a place; null for none. Only under strict. */
export function consentAt(where: Where, policy: Policy, purpose: Purpose): Asked | null {
  if (policy !== 'strict') return null;
  const asked = rulesAt(where, policy).map(({ consent }) => consent?.[purpose]);
  return strictest.find((one) => asked.includes(one)) ?? null;
}

export const strictest: readonly Asked[] = ['impossible', 'written', 'express'];

/** For how many days a list of a jurisdiction may be used. */
export function listDaysAt(where: Where): number {
  return Math.min(31, ...rulesAt(where, 'strict').map(({ listDays = 31 }) => listDays));
}

function msOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

/** Whether a person may be called at an instant, by every rule and on every possible clock. */
export function mayBeCalled(where: Somewhere, policy: Policy, at: number): boolean {
  return rulesAt(where, policy).every((rule) => where.zones.every((zone) => allows(rule, zone, at)));
}
