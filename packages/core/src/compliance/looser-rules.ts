import type { CallingRule } from './calling-rule.ts';
import { campaignPurposes } from './campaign-purpose.ts';
import type { DaySpan } from './hours-table.ts';

/** The highest age in days of a scrub list whose jurisdiction names none (`scrubGoodForDays`). */
const goodForDays = 31;

/** What a rule of the operator allows that the one that comes with Outdial forbids, in words. */
export function looserThan(builtIn: CallingRule, own: CallingRule): string[] {
  const found: string[] = [];
  const days = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays'];
  const open = own.hours.week.flatMap((spans, day) =>
    spans.every((span) => isWithin(span, builtIn.hours.week[day] ?? [])) ? [] : [days[day]],
  );
  if (open.length > 0) found.push(`allows hours that the built-in rule closes (${open.join(', ')})`);
  for (const cap of builtIn.caps ?? []) {
    const isKept = own.caps?.some(({ calls, hours }) => calls <= cap.calls && hours >= cap.hours);
    if (isKept !== true) found.push(`lifts the cap of ${cap.calls} calls in ${cap.hours} hours`);
  }
  const [before, after] = [builtIn, own].map(({ registry }) => registry?.goodForDays ?? goodForDays);
  if ((after ?? 0) > (before ?? 0)) found.push(`lets lists be used for ${after} days instead of ${before}`);
  for (const purpose of campaignPurposes) {
    const asked = builtIn.consent?.[purpose];
    if (asked === undefined) continue;
    const given = own.consent?.[purpose];
    const added = given?.bases.filter((basis) => !asked.bases.includes(basis)) ?? [];
    if (given === undefined) found.push(`asks for no consent to calls of the purpose ${purpose}`);
    else if (added.length > 0) found.push(`accepts ${added.join(' and ')} for the purpose ${purpose}`);
  }
  return found;
}

function isWithin(span: DaySpan, spans: readonly DaySpan[]): boolean {
  return spans.some(({ startMs, endMs }) => startMs <= span.startMs && span.endMs <= endMs);
}
