import { reversedOffsetWarnings } from '@outdial/contracts';
import { listProviderNames, type Db, type OrganizationChange } from '@outdial/db';
import { type Command, InvalidArgumentError } from 'commander';
import {
  inboundLimits,
  type CallCap,
  type CallingPolicy,
  type SpecialNumber,
  hostOfUrl,
  isCountry,
  specialNumbers,
  longestPersonCapHours,
} from '@outdial/core';
import { CliError } from '../cli-error.ts';
import { limit, limitFromOne, orNull, timezoneOption, type None } from '../options.ts';

export interface OrgOptions {
  json?: boolean;
  timezone?: string;
  callingPolicy?: CallingPolicy;
  maxLines?: number | None;
  defaultProvider?: string;
  countries?: string[] | None;
  allowNumbers?: SpecialNumber[];
  maxCampaigns?: number | None;
  maxRecipients?: number | None;
  maxCallsPerDay?: number | None;
  maxSpendPerDay?: number | None;
  requestsPerMinute?: number | None;
  maxRecordedGigabytes?: number | None;
  maxInboundCalls?: number | None;
  maxInboundPerCallerHour?: number | None;
  maxInboundPerNumberHour?: number | None;
  ownTwiml?: boolean;
  voiceHosts?: string[];
  callsPerPerson?: CallCap[] | None;
  personGap?: number | None;
  afterConversation?: number | None;
  localPresence?: boolean;
  answerRateFrom?: number | None;
  shortCallsTo?: number | None;
}

export function limitOptions(command: Command): Command {
  return command
    .addOption(timezoneOption('IANA; the default for campaigns'))
    .option('--max-lines <number>', 'maximum number of calls in progress; `none` for no cap', limit)
    .option(
      '--default-provider <name>',
      'the provider of its calls unless the agent names one; `none` for the default of the installation',
    )
    .option('--countries <codes>', 'countries that may be called, such as US,CA; `none` for all', countries)
    .option(
      '--allow-numbers <kinds>',
      'kinds of numbers that may be called: premium, shared_cost, personal, satellite, emergency; `none` by default',
      special,
    )
    .option('--max-campaigns <number>', 'maximum number of campaigns; `none` for the default', limit)
    .option('--max-recipients <number>', 'recipients of all campaigns; `none` for the default', limit)
    .option('--max-calls-per-day <number>', 'calls a day, UTC; `none` for no limit', limit)
    .option('--max-spend-per-day <amount>', 'cost of the calls of a day; `none` for no limit', limit)
    .option('--requests-per-minute <number>', 'requests to the api; `none` for the default', limitFromOne)
    .option(
      '--max-recorded-gigabytes <number>',
      'recordings that Outdial itself stores; `none` for the default of 500',
      limit,
    )
    .option(
      '--max-inbound-calls <number>',
      `calls that come in, at a time; \`none\` for the default of ${inboundLimits.atATime}`,
      limit,
    )
    .option(
      '--max-inbound-per-caller-hour <number>',
      `calls of one caller in an hour; \`none\` for the default of ${inboundLimits.ofCallerPerHour}`,
      limit,
    )
    .option(
      '--max-inbound-per-number-hour <number>',
      `calls to one caller id in an hour; \`none\` for the default of ${inboundLimits.toNumberPerHour}`,
      limit,
    )
    .option(
      '--voice-hosts <hosts>',
      'hosts to which agents may connect answered calls, such as voice.example.com; `none` by default',
      hosts,
    )
    .option(
      '--own-twiml <on|off>',
      'whether agents may bring TwiML, which runs on the carrier account of the installation; off by default',
      onOrOff,
    )
    .option(
      '--calls-per-person <caps>',
      'calls to one person over all campaigns, such as 3/24h,7/7d; `none` for no cap',
      callCaps,
    )
    .option(
      '--person-gap <time>',
      'time between calls of two campaigns to one person, such as 4h; or `none`',
      duration,
    )
    .option(
      '--after-conversation <time>',
      'time from a conversation about a debt to the next call about one, such as 7d; or `none`',
      hours,
    )
    .option(
      '--local-presence <on|off>',
      'whether to prefer caller ids that are local to the number called; off by default',
      onOrOff,
    )
    .option(
      '--answer-rate-from <share>',
      'rest a caller id if less than this share of its calls in an hour is answered, such as 0.05; or `none`',
      share,
    )
    .option(
      '--short-calls-to <share>',
      'rest a caller id if more than this share of its answered calls end within ten seconds, such as 0.6; or `none`',
      share,
    );
}

/** The changes by the options, with `none` as null. */
export function changeOf(options: OrgOptions): OrganizationChange {
  const personCaps = set({
    calls: orNull(options.callsPerPerson),
    gap_seconds: orNull(options.personGap),
    after_conversation_hours: orNull(options.afterConversation),
  });
  const callerIdRules = set({
    localPresence: options.localPresence,
    answerRateFrom: orNull(options.answerRateFrom),
    shortCallsTo: orNull(options.shortCallsTo),
  });
  return set({
    timezone: options.timezone,
    calling_policy: options.callingPolicy,
    max_lines: orNull(options.maxLines),
    default_provider: orNull(options.defaultProvider),
    allowed_countries: orNull(options.countries),
    allowed_special_numbers: options.allowNumbers,
    max_campaigns: orNull(options.maxCampaigns),
    max_recipients: orNull(options.maxRecipients),
    max_calls_per_day: orNull(options.maxCallsPerDay),
    max_spend_per_day: orNull(options.maxSpendPerDay),
    requests_per_minute: orNull(options.requestsPerMinute),
    max_recorded_gigabytes: orNull(options.maxRecordedGigabytes),
    max_inbound_calls: orNull(options.maxInboundCalls),
    max_inbound_per_caller_hour: orNull(options.maxInboundPerCallerHour),
    max_inbound_per_number_hour: orNull(options.maxInboundPerNumberHour),
    own_twiml: options.ownTwiml,
    voice_hosts: options.voiceHosts,
    ...(Object.keys(personCaps).length > 0 && { person_caps: personCaps }),
    ...(Object.keys(callerIdRules).length > 0 && { caller_id_rules: callerIdRules }),
  });
}

function set<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  // `fromEntries` forgets the names of the fields.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}

export async function requireProvider(db: Db, name: string | null | undefined): Promise<void> {
  if (name == null) return;
  const names = await listProviderNames(db);
  if (names.includes(name)) return;
  const known = names.length === 0 ? 'none is set' : `known: ${names.join(', ')}`;
  throw new CliError(
    'provider_not_found',
    `there is no provider ${name} (${known}): create it with \`outdial provider set\``,
  );
}

/** What to say about a time zone, as lines of the output. */
export function zoneWarnings(timezone: string | undefined): string[] {
  return reversedOffsetWarnings([timezone], []).map(({ msg }) => `  warning: ${msg}`);
}

const hostsAtMost = 100;

/** `voice.example.com,media.example.com:8443`, or `none`. */
export function hosts(text: string): string[] {
  if (text === 'none') return [];
  const names = text.split(',').map((name) => {
    const host = hostOfUrl(name.trim());
    if (host === null) {
      throw new InvalidArgumentError(
        `${name.trim()} is not a host: name hosts such as voice.example.com, or \`none\`.`,
      );
    }
    return host;
  });
  if (names.length > hostsAtMost) throw new InvalidArgumentError(`Name at most ${hostsAtMost} hosts.`);
  return [...new Set(names)];
}

/** `US,CA`, or `none` to allow all again. */
export function countries(text: string): string[] | None {
  if (text === 'none') return text;
  const codes = text.split(',').map((code) => code.trim().toUpperCase());
  const unknown = codes.filter((code) => !isCountry(code));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(`Unknown country ${unknown.join(', ')}: use two-letter codes.`);
  }
  return [...new Set(codes)];
}

/** `premium,satellite`, or `none`. */
export function special(text: string): SpecialNumber[] {
  if (text === 'none') return [];
  return text.split(',').map((name) => {
    const kind = specialNumbers.find((known) => known === name.trim());
    if (kind === undefined) {
      throw new InvalidArgumentError(`Must be a list of ${specialNumbers.join(', ')}, or \`none\`.`);
    }
    return kind;
  });
}

function onOrOff(text: string): boolean {
  if (text === 'on') return true;
  if (text === 'off') return false;
  throw new InvalidArgumentError('Must be `on` or `off`.');
}

/** From 0 to 1. */
export function share(text: string): number | None {
  if (text === 'none') return text;
  const value = Number(text);
  if (!/^\d(\.\d{1,4})?$/.test(text) || value > 1) {
    throw new InvalidArgumentError('Must be a share from 0 to 1, such as 0.05, or `none`.');
  }
  return value;
}

const seconds = { m: 60, h: 3600, d: 86_400 };
const hourSeconds = 3600;
/** More calls than any person gets. */
const callsAtMost = 50;
const capsAtMost = 5;

/** `90m`, `4h` or `7d`, in seconds; at most 31 days. */
export function duration(text: string): number | None {
  if (text === 'none') return text;
  const [, digits, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const length = Number(digits) * (unit === 'm' || unit === 'h' || unit === 'd' ? seconds[unit] : Number.NaN);
  if (!(length > 0 && length <= longestPersonCapHours * hourSeconds)) {
    throw new InvalidArgumentError('Must be a time such as 90m, 4h or 7d, of at most 31 days, or `none`.');
  }
  return length;
}

/** The same in whole hours. */
export function hours(text: string): number | None {
  const length = duration(text);
  if (length === 'none') return length;
  if (length % hourSeconds !== 0) throw new InvalidArgumentError('Must be a whole number of hours or days.');
  return length / hourSeconds;
}

/** `3/24h,7/7d` */
function callCaps(text: string): CallCap[] | None {
  if (text === 'none') return text;
  const caps = text.split(',').map((part): CallCap => {
    const [, calls, span = ''] = /^(\d{1,2})\/(.+)$/.exec(part.trim()) ?? [];
    const length = hours(span);
    const count = Number(calls);
    if (length === 'none' || !(count >= 1 && count <= callsAtMost)) {
      throw new InvalidArgumentError(`Must be a list of calls and times such as 3/24h,7/7d, or \`none\`.`);
    }
    return { calls: count, hours: length };
  });
  if (caps.length > capsAtMost) throw new InvalidArgumentError(`At most ${capsAtMost} caps.`);
  return caps;
}
