import { texts, type TextRule } from './texts.ts';
import { wallClock } from '../oracle/wall-clock.ts';
import type { Somewhere } from './people.ts';

/** Whether a rule's text allows a call at an instant by the clock of a zone, according to `Intl`. */
function allows(rule: TextRule, zone: string, at: number): boolean {
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
export function capsAt(
  { country, region }: Pick<Somewhere, 'country' | 'region'>,
  policy: 'strict' | 'standard',
): Array<{ calls: number; hours: number }> {
  const names = policy === 'strict' && region !== null ? [country, region] : [country];
  return names.flatMap((name) =>
    (texts[name]?.caps ?? '').split(' ').flatMap((cap) => {
      const [calls = '', hours = ''] = cap.split('/');
      return cap === '' ? [] : [{ calls: Number(calls), hours: Number.parseInt(hours) }];
    }),
  );
}

/** The consent that the texts ask for at a place; null for none. Only under strict. */
export function consentAt(
  { country }: Pick<Somewhere, 'country'>,
  policy: 'strict' | 'standard',
  purpose: 'marketing' | 'service' | 'debt_collection',
): 'express' | 'written' | null {
  return policy === 'strict' ? (texts[country]?.consent?.[purpose] ?? null) : null;
}

function msOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

/** Whether a person may be called at an instant, by every rule and on every possible clock. */
export function mayBeCalled(
  { country, region, zones }: Somewhere,
  policy: 'strict' | 'standard',
  at: number,
): boolean {
  const rules = [texts[country] ?? texts['elsewhere']];
  if (policy === 'strict' && region !== null) rules.push(texts[region]);
  return rules
    .filter((rule) => rule !== undefined)
    .every((rule) => zones.every((zone) => allows(rule, zone, at)));
}
