import {
  campaignPurposes,
  consentBases,
  findJsonFault,
  longestPersonCapHours,
  parseJson,
  ruleBases,
  type RuleOverlay,
  scrubGoodForDays,
  spanOfText,
} from '@outdial/core';
import { z } from 'zod';

const longestText = 256 * 1024;
const dayMs = 86_400_000;

const spans = z
  .array(
    z.string().refine(
      (text) => {
        if (!/^\d\d:\d\d-\d\d:\d\d$/.test(text)) return false;
        const { startMs, endMs } = spanOfText(text);
        return startMs < endMs && endMs <= dayMs;
      },
      { error: 'should be a span of the day such as 09:00-20:00' },
    ),
  )
  .max(4)
  .refine(
    (list) => {
      const sorted = list.map(spanOfText).toSorted((one, other) => one.startMs - other.startMs);
      return sorted.every((one, at) => at === 0 || one.startMs >= (sorted[at - 1]?.endMs ?? 0));
    },
    { error: 'should be spans that do not overlap' },
  )
  .optional();

/** A leap year, because a date may be 29 February. */
const leapYear = 2028;
const version = z.int().min(1).max(1_000_000);
const jurisdiction = z
  .string()
  .regex(/^[A-Z]{2}(-[A-Z]{2})?$/, 'should be a country (DE) or a state (US-FL)');

const day = z.string().refine(
  (text) => {
    const [, year, month, date] = /^(?:(\d{4})-)?(\d\d)-(\d\d)$/.exec(text) ?? [];
    const found = new Date(Date.UTC(Number(year ?? leapYear), Number(month) - 1, Number(date)));
    return found.getUTCDate() === Number(date) && found.getUTCMonth() === Number(month) - 1;
  },
  { error: 'should be a day of each year such as 12-24, or of one such as 2027-05-03' },
);

const longestEmergencyDays = 366;
const instant = z.iso.datetime({ offset: true, error: 'should be an instant such as 2027-02-01T00:00:00Z' });
const emergency = z.strictObject({ from: instant, to: instant, reason: z.string().min(1).max(500) }).refine(
  ({ from, to }) => {
    const lengthMs = Date.parse(to) - Date.parse(from);
    return lengthMs > 0 && lengthMs <= longestEmergencyDays * dayMs;
  },
  { error: `should end after it begins, and within ${longestEmergencyDays} days`, path: ['to'] },
);

const bases = z.array(z.enum(consentBases)).max(consentBases.length).nullable().optional();

/** A campaign looks for its next window within 16 days, some of which its weekends and those of the replaced rule may close. */
const closedDaysAtMost = 12;

/** The most days in a row without calls. 0 for a rule that allows no calls at all, which is deliberate. */
function longestClosing({
  weekdays,
  saturday,
  sunday,
  closed = [],
}: {
  weekdays?: readonly string[] | undefined;
  saturday?: readonly string[] | undefined;
  sunday?: readonly string[] | undefined;
  closed?: readonly string[] | undefined;
}): number {
  const ofWeek = [sunday, weekdays, weekdays, weekdays, weekdays, weekdays, saturday];
  if (ofWeek.every((spansOfDay) => spansOfDay?.length === 0)) return 0;
  const dates = new Set(closed);
  const lastYear = Math.max(
    leapYear + 28,
    ...closed.map((text) => (text.length > 5 ? Number(text.slice(0, 4)) : 0)),
  );
  let [longest, current] = [0, 0];
  // Within 28 years, each date falls on each weekday.
  for (const one = new Date(Date.UTC(2026, 0, 1)); one.getUTCFullYear() <= lastYear;) {
    const date = one.toISOString().slice(0, 10);
    const isClosed = ofWeek[one.getUTCDay()]?.length === 0 || dates.has(date) || dates.has(date.slice(5));
    current = isClosed ? current + 1 : 0;
    longest = Math.max(longest, current);
    one.setUTCDate(one.getUTCDate() + 1);
  }
  return longest;
}

const rule = z
  .strictObject({
    jurisdiction,
    version,
    weekdays: spans,
    saturday: spans,
    sunday: spans,
    closed: z.array(day).max(200).optional(),
    emergencies: z.array(emergency).max(50).optional(),
    caps: z
      .array(
        z.strictObject({
          calls: z.int().min(1).max(1_000),
          hours: z.int().min(1).max(longestPersonCapHours),
        }),
      )
      .max(10)
      .optional(),
    list_good_for_days: z.int().min(1).max(scrubGoodForDays).optional(),
    consent: z.strictObject({ marketing: bases, service: bases, debt_collection: bases }).optional(),
    purposes: z.array(z.enum(campaignPurposes)).optional(),
    basis: z.enum(ruleBases),
    citation: z.string().min(1).max(1_000),
    as_of: z.iso.date(),
  })
  .refine(
    ({ weekdays, saturday, sunday }) =>
      [weekdays, saturday, sunday].every((one) => (one === undefined) === (weekdays === undefined)),
    { error: 'should have all of weekdays, saturday and sunday, or none of them', path: ['weekdays'] },
  )
  .refine((one) => longestClosing(one) <= closedDaysAtMost, {
    error: `should leave no more than ${closedDaysAtMost} days in a row without calls; an emergency may last longer`,
    path: ['closed'],
  });

const rulesDocument = z.strictObject({
  version: z.string().regex(/^[\w.:-]{1,64}$/, 'should be up to 64 letters, digits, dots, dashes and colons'),
  rules: z.array(rule).max(300).default([]),
  pins: z.record(jurisdiction, version).default({}),
});

/** The operator's rules of a file, or its faults, each with its field. The faults quote no text of the file. */
export function readRulesDocument(text: string): { document: RuleOverlay } | { faults: string[] } {
  if (text.length > longestText) return { faults: ['is longer than 256 KiB'] };
  const json = parseJson(text);
  if (json === undefined) return { faults: ['is not valid JSON'] };
  const lost = findJsonFault(text);
  if (lost?.kind === 'repeated_name') return { faults: [`names ${fieldOf(lost.path)} twice`] };
  const parsed = rulesDocument.safeParse(json);
  if (!parsed.success) {
    return {
      faults: parsed.error.issues.slice(0, 10).map((issue) => `${fieldOf(issue.path)} ${issue.message}`),
    };
  }
  // Optional fields that are undefined would differ from absent ones in what is stored.
  return { document: JSON.parse(JSON.stringify(parsed.data)) as RuleOverlay };
}

/** `rules[0].saturday[1]` */
function fieldOf(path: readonly PropertyKey[]): string {
  const field = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
  return field === '' ? 'it' : field;
}
