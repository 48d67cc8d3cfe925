import { holidaysFrom, holidaysTo, type Asked, type Purpose, type TextRule } from './texts.ts';

/** The document of `outdial rules import`, as its page describes it. Read here a second time, without the product's reader. */
export interface ImportedRules {
  rules: ReadonlyArray<{
    jurisdiction: string;
    weekdays?: readonly string[];
    saturday?: readonly string[];
    sunday?: readonly string[];
    closed?: readonly string[];
    emergencies?: ReadonlyArray<{ from: string; to: string }>;
    caps?: ReadonlyArray<{ calls: number; hours: number }>;
    list_good_for_days?: number;
    consent?: Partial<Record<Purpose, readonly string[] | null>>;
    purposes?: readonly Purpose[];
  }>;
}

const nothing: TextRule = { weekdays: '00:00-24:00', saturday: '00:00-24:00', sunday: '00:00-24:00' };
const purposes = ['marketing', 'service', 'debt_collection'] as const;

/** The rule of a jurisdiction with what the operator imported for it. What the import does not name stays. */
export function withImported(
  text: TextRule | undefined,
  imported: ImportedRules | null,
  jurisdiction: string,
): TextRule | undefined {
  const own = imported?.rules.find((rule) => rule.jurisdiction === jurisdiction);
  if (own === undefined) return text;
  const rule = { ...(text ?? nothing) };
  if (own.weekdays && own.saturday && own.sunday) {
    rule.weekdays = own.weekdays.join() || '-';
    rule.saturday = own.saturday.join() || '-';
    rule.sunday = own.sunday.join() || '-';
  }
  const closed = (own.closed ?? []).flatMap((day) => (day.length > 5 ? [day] : daysOf(day)));
  rule.closed = [rule.closed ?? '', ...closed].join(' ');
  rule.emergencies = (own.emergencies ?? []).map(({ from, to }) => ({
    from: Date.parse(from),
    to: Date.parse(to),
  }));
  if (own.caps) rule.caps = own.caps.map(({ calls, hours }) => `${calls}/${hours}h`).join(' ');
  if (own.list_good_for_days !== undefined) rule.listDays = own.list_good_for_days;
  rule.consent = { ...rule.consent };
  for (const purpose of purposes) {
    const bases = own.consent?.[purpose];
    if (bases === null) delete rule.consent[purpose];
    else if (bases !== undefined) rule.consent[purpose] = askedBy(bases);
    if (own.purposes?.includes(purpose) === false) rule.consent[purpose] = 'impossible';
  }
  return rule;
}

function askedBy(bases: readonly string[]): Asked {
  if (bases.includes('prior_express')) return 'express';
  return bases.includes('prior_express_written') ? 'written' : 'impossible';
}

/** @param day `12-24` */
function daysOf(day: string): string[] {
  const years = [Number(holidaysFrom.slice(0, 4)), Number(holidaysTo.slice(0, 4))];
  return years.map((year) => `${year}-${day}`);
}
