import { findJsonFault, overlayCallingRules, parseJson, type RuleOverlay } from '@outdial/core';
import { z } from 'zod';
import { envFragment } from './fragment.ts';
import { optional } from './variable.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const longestText = 256 * 1024;

/** `09:00-20:30`, with an exclusive end. */
const span = z
  .string()
  .regex(/^\d\d:\d\d-\d\d:\d\d$/, 'should be a span of the day such as 09:00-20:00')
  .transform((text, context) => {
    const [startMs = Number.NaN, endMs = Number.NaN] = text.split('-').map(millisOf);
    if (startMs < endMs && endMs <= 24 * hourMs) return { startMs, endMs };
    context.addIssue({ code: 'custom', message: 'should be a span of the day such as 09:00-20:00' });
    return z.NEVER;
  });

function millisOf(time: string): number {
  const [hours = Number.NaN, minutes = Number.NaN] = time.split(':').map(Number);
  return minutes < 60 ? hours * hourMs + minutes * minuteMs : Number.NaN;
}

const spans = z
  .array(span)
  .max(4)
  .transform((list) => list.toSorted((one, other) => one.startMs - other.startMs))
  .refine((list) => list.every((one, at) => at === 0 || one.startMs >= (list[at - 1]?.endMs ?? 0)), {
    error: 'should be spans that do not overlap',
  });
/** A leap year, because a date may be 29 February. */
const leapYear = 2028;
const version = z.int().min(1).max(1_000_000);
const jurisdiction = z
  .string()
  .regex(/^[A-Z]{2}(-[A-Z0-9]{1,3})?$/, 'should be a country (DE) or a state (US-FL)');

/** A campaign looks for its next window within 16 days, some of which its weekends and those of the replaced rule may close. */
const closedDaysAtMost = 12;

/** The most days in a row without calls. 0 for a rule that allows no calls at all, which is deliberate. */
function longestClosing(rule: {
  weekdays: readonly unknown[];
  saturday: readonly unknown[];
  sunday: readonly unknown[];
  closed: ReadonlyArray<{ month: number; day: number }>;
}): number {
  const { weekdays, saturday, sunday } = rule;
  const ofWeek = [sunday, weekdays, weekdays, weekdays, weekdays, weekdays, saturday];
  if (ofWeek.every((spansOfDay) => spansOfDay.length === 0)) return 0;
  const closed = new Set(rule.closed.map(({ month, day }) => `${month}-${day}`));
  let [longest, current] = [0, 0];
  // Within 28 years, each date falls on each weekday.
  for (const day = new Date(Date.UTC(leapYear, 0, 1)); day.getUTCFullYear() < leapYear + 29;) {
    const isClosed =
      ofWeek[day.getUTCDay()]?.length === 0 || closed.has(`${day.getUTCMonth() + 1}-${day.getUTCDate()}`);
    current = isClosed ? current + 1 : 0;
    longest = Math.max(longest, current);
    day.setUTCDate(day.getUTCDate() + 1);
  }
  return longest;
}

const overlay = z.strictObject({
  version: z.string().regex(/^[\w.:-]{1,64}$/, 'should be up to 64 letters, digits, dots, dashes and colons'),
  rules: z
    .array(
      z
        .strictObject({
          jurisdiction,
          version,
          weekdays: spans,
          saturday: spans,
          sunday: spans,
          closed: z
            .array(
              z
                .string()
                .regex(/^(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'should be a day of the year such as 12-24')
                .transform((text) => ({ month: Number(text.slice(0, 2)), day: Number(text.slice(3)) }))
                .refine(
                  ({ month, day }) => new Date(Date.UTC(leapYear, month - 1, day)).getUTCDate() === day,
                  {
                    error: 'should be a day of the year such as 12-24',
                  },
                ),
            )
            .max(100)
            .default([]),
          basis: z.enum(['statute', 'regulation', 'code', 'practice']),
          citation: z.string().min(1).max(1_000),
          as_of: z.iso.date(),
        })
        .refine((rule) => longestClosing(rule) <= closedDaysAtMost, {
          error: `should leave no more than ${closedDaysAtMost} days in a row without calls`,
          path: ['closed'],
        })
        .transform(({ as_of: asOf, ...rule }) => ({ ...rule, asOf })),
    )
    .max(300)
    .default([]),
  pins: z.record(jurisdiction, version).default({}),
});

/** Faults name the field without quoting the text. */
const overlayText = z.string().transform((text, context): RuleOverlay => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (text.length > longestText) return refuse('is longer than 256 KiB');
  const json = parseJson(text);
  if (json === undefined) return refuse('is not valid JSON');
  const lost = findJsonFault(text);
  if (lost?.kind === 'repeated_name') return refuse(`names ${fieldOf(lost.path)} twice`);
  const parsed = overlay.safeParse(json);
  if (!parsed.success) {
    const faults = parsed.error.issues.slice(0, 10);
    return refuse(faults.map((issue) => `${fieldOf(issue.path)} ${issue.message}`).join('; '));
  }
  return parsed.data;
});

/** `rules[0].saturday[1]` */
function fieldOf(path: readonly PropertyKey[]): string {
  const field = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
  return field === '' ? 'it' : field;
}

/** Calling rules of the operator, and versions that the operator pins. */
export const callingRulesEnv = envFragment(
  {
    CALLING_RULES: optional(
      overlayText,
      '{"version": "2026-12", "pins": {"US-FL": 1}, "rules": []}',
      'Your own calling hours and pinned versions of rules, as JSON: docs/compliance.md. The same for every process; usually set through CALLING_RULES_FILE.',
    ),
  },
  (env): RuleOverlay | null => env.CALLING_RULES ?? null,
);

/**
 * Applies the operator's rules in this process.
 * @throws Error that names an invalid field, because no number may be dialed by rules that the operator did not intend
 */
export function useCallingRules(rules: RuleOverlay | null): void {
  const fault = overlayCallingRules(rules);
  if (fault !== null) throw new Error(`CALLING_RULES: ${fault.field} ${fault.message}`);
}
