import { reversedOffsetWarnings, type Warning } from '@outdial/contracts';
import {
  consentRemedy,
  dailyHours,
  isFinalCampaignStatus,
  naturalVoiceFirst,
  neededConsent,
  type NeededConsent,
  nextDial,
  renderPrompt,
  reviewsDue,
  type DialingSchedule,
} from '@outdial/core';
import {
  type CampaignKey,
  countWithoutValue,
  findWarningView,
  type Executor,
  type WarningView,
} from '@outdial/db';
import { singleBraceWarnings } from '../send/prompt-warnings.ts';

/** A start date up to this long before the creation counts as the creation. */
const startGraceMs = 60_000;
/** The hours in which telemarketers may call in the United States (47 CFR 64.1200(c)(1)); most other countries allow less. */
const morningMs = 8 * 3_600_000;
const nightMs = 21 * 3_600_000;
const placeholdersAtMost = 20;
/** A larger count would not tell the reader more. */
export const countedAtMost = 100_000;

export async function findCampaignWarnings(db: Executor, key: CampaignKey): Promise<Warning[]> {
  const view = await findWarningView(db, key);
  if (view === null || isFinalCampaignStatus(view.definition.status)) return [];
  return warningsOf(view, (name) => countWithoutValue(db, { ...key, name, atMost: countedAtMost }));
}

/** @param countWithout counts the recipients without a value for a name, up to `countedAtMost` */
export async function warningsOf(
  view: WarningView,
  countWithout: (name: string) => Promise<number>,
): Promise<Warning[]> {
  return [
    ...scheduleWarnings(view),
    ...reversedOffsets(view),
    ...ruleWarnings(view),
    ...singleBraceWarnings(view.prompt, ['body', 'agent_id']),
    ...(await promptWarnings(view, countWithout)),
  ];
}

function hoursWarnings(schedule: DialingSchedule): Warning[] {
  const hours = dailyHours(schedule);
  const span = `(${schedule.startTime} to ${schedule.endTime}): set start_time and end_time, such as 09:00 and 18:00`;
  if (hours.isAllDay) {
    const msg = `People are called at any time of day, even at night ${span}`;
    return [{ code: 'open_all_day', loc: ['body', 'start_time'], msg }];
  }
  const isEarly = hours.startMs < morningMs;
  if (!isEarly && hours.endMs <= nightMs) return [];
  const msg = `People are called before 08:00 or after 21:00 ${span}`;
  return [{ code: 'open_at_night', loc: ['body', isEarly ? 'start_time' : 'end_time'], msg }];
}

function timezoneWarning({ timezone }: DialingSchedule): Warning {
  return {
    code: 'default_timezone',
    loc: ['body', 'additional_params', 'timezone'],
    msg: `The campaign has no time zone of its own, so its hours are in ${timezone}: set additional_params.timezone, such as America/New_York`,
  };
}

function reversedOffsets({ definition }: WarningView): Warning[] {
  const zones = [definition.schedule.timezone, ...definition.callingKeys];
  return reversedOffsetWarnings(zones, ['body', 'additional_params', 'timezone']);
}

function scheduleWarnings({ now, createdAt, definition, namesTimezone }: WarningView): Warning[] {
  const { schedule, callingKeys: zones } = definition;
  // A calling policy allows no calls at night, and uses the time zones of the recipients.
  const warnings =
    definition.callingPolicy === 'none'
      ? [...hoursWarnings(schedule), ...(namesTimezone ? [] : [timezoneWarning(schedule)])]
      : [];
  if (schedule.startAt.getTime() < createdAt.getTime() - startGraceMs) {
    warnings.push({
      code: 'starts_in_the_past',
      loc: ['body', 'start_date'],
      msg: `start_date (${schedule.startAt.toISOString()}) was already past when the campaign was created, so dialing begins immediately`,
    });
  }
  const from = schedule.startAt > now ? schedule.startAt : now;
  const earliestDueByZone = zones.map((zone) => ({ zone, dueAt: from }));
  const next = nextDial(schedule, earliestDueByZone, now);
  if (next.kind === 'never') {
    warnings.push({
      code: 'never_open',
      loc: ['body', 'end_date'],
      msg:
        next.waitingFor === 'calling_hours'
          ? "The recipients' calling hours never meet the window, so no one is called: change the hours"
          : 'No window opens before the campaign ends, so no one is called: move end_date, or change the hours or call_on_weekend',
    });
  }
  return warnings;
}

const reviewsNamed = 10;

/** What the rules of the recipients' places ask for that Outdial cannot do or know. */
function ruleWarnings({ now, definition }: WarningView): Warning[] {
  const loc = ['body', 'recipients'];
  const warnings = naturalVoiceFirst(definition.callingKeys).map(
    ({ name, naturalVoiceFirst: why }): Warning => ({
      code: 'natural_voice_first',
      loc,
      msg: `${name} asks that a natural voice announces a call and asks for agreement before an artificial voice speaks (${why?.citation ?? ''}). Outdial cannot do that: have these recipients called by a person, or ask your lawyer whether the rule applies`,
    }),
  );
  warnings.push(...consentWarnings(definition));
  const due = reviewsDue(definition.callingKeys, now);
  if (due.length > 0) {
    const named = due.slice(0, reviewsNamed).map(({ name, asOf }) => `${name} (${asOf})`);
    const more = due.length > reviewsNamed ? ` and ${due.length - reviewsNamed} more` : '';
    warnings.push({
      code: 'rules_to_review',
      loc,
      msg: `The law may have changed since these texts were last read, more than 180 days ago: ${named.join(', ')}${more}. Install a newer release, or review them and set rules of your own`,
    });
  }
  return warnings;
}

/** Once for each set of accepted kinds, since many places ask for the same. */
function consentWarnings(definition: WarningView['definition']): Warning[] {
  const byBases = new Map<string, NeededConsent>();
  for (const key of definition.callingKeys) {
    const needed = neededConsent(key, definition);
    if (needed === null) continue;
    const known = byBases.get(needed.bases.join())?.rules ?? [];
    const rules = new Map([...known, ...needed.rules].map((rule) => [rule.jurisdiction, rule]));
    byBases.set(needed.bases.join(), { ...needed, rules: [...rules.values()] });
  }
  return [...byBases.values()].map((needed) => ({
    code: 'consent_needed',
    loc: ['body', 'recipients'],
    msg: `Recipients without consent are not dialed. ${consentRemedy({ ...needed, rules: needed.rules.slice(0, reviewsNamed) })}`,
  }));
}

async function promptWarnings(
  { prompt, definition }: WarningView,
  countWithout: (name: string) => Promise<number>,
): Promise<Warning[]> {
  const missing = renderPrompt(prompt ?? '', definition.promptParams).missing.slice(0, placeholdersAtMost);
  const warnings: Warning[] = [];
  for (const name of missing) {
    const count = await countWithout(name);
    if (count === 0) continue;
    const howMany = count === countedAtMost ? `${countedAtMost} or more recipients have` : counted(count);
    warnings.push({
      code: 'prompt_value_missing',
      loc: ['body', 'additional_params', 'prompt_params', name],
      msg: `The agent's prompt contains {{${name}}}, and ${howMany} no value for it: they would hear the placeholder`,
    });
  }
  return warnings;
}

function counted(count: number): string {
  return count === 1 ? '1 recipient has' : `${count} recipients have`;
}
