import { slowestCallsPerSecond, timeZoneFault } from '@outdial/contracts';
import {
  callingPolicies,
  type ColumnMapping,
  findJsonFault,
  isCountry,
  isTimeZone,
  numberNotations,
  type Numbering,
  parseJson,
} from '@outdial/core';
import { InvalidArgumentError, Option, type Command } from 'commander';

/** A runnable command. All of them have `--json`. */
export function leaf(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--json', 'print JSON');
}

export const orgOption = ['--org <id or name>', 'the organization; optional if there is only one'] as const;

export function callingPolicyOption(): Option {
  return new Option(
    '--calling-policy <policy>',
    'calling hours to enforce: `strict` by country and region, `standard` by country, `none` for the campaigns’ own only',
  ).choices(callingPolicies);
}

export function timezoneOption(description: string): Option {
  return new Option('--timezone <zone>', description).argParser((text) => {
    if (!isTimeZone(text)) throw new InvalidArgumentError(timeZoneFault(text));
    return text;
  });
}

/** How phone numbers without a leading `+` are written (`Numbering` of core), and what the columns of a list mean. */
export interface ListOptions extends Numbering {
  map?: Readonly<Record<string, string | null>>;
}

export function mappingOf({ map }: ListOptions): ColumnMapping {
  return map ?? {};
}

export function listOptions(command: Command): Command {
  return numberingOptions(command).option(
    '--map <column=field>',
    'what a column means: phone_number, another field, or nothing to leave it out; again for each column',
    (text: string, before: Record<string, string | null> | undefined) => {
      const at = text.lastIndexOf('=');
      if (at < 1) {
        throw new InvalidArgumentError('Must be a column and a field, such as "Mobile=phone_number".');
      }
      const field = text.slice(at + 1).trim();
      return { ...before, [text.slice(0, at).trim()]: field === '' ? null : field };
    },
  );
}

/** The same for numbers that are not in a list. */
export function numberingOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--country <code>', 'the country of numbers without +').argParser((text) => {
        if (!isCountry(text.toUpperCase())) {
          throw new InvalidArgumentError('Must be a two-letter country code, such as US or DE.');
        }
        return text;
      }),
    )
    .addOption(
      new Option(
        '--numbers <notation>',
        'how numbers without + are written: `international`, with the country code, or `national`; without it, those that can be read both ways are refused',
      ).choices(numberNotations),
    );
}

/** Parses `none`, which removes a limit or a default, because Commander has no null for option values. */
export type None = 'none';

export function orNull<T>(value: T | None | undefined): T | null | undefined {
  return value === 'none' ? null : value;
}

/** A whole number from 0 on, or `none`. */
export function limit(text: string): number | None {
  if (text === 'none') return text;
  if (!/^\d{1,9}$/.test(text)) {
    throw new InvalidArgumentError('Must be a whole number of 0 or more, or `none`.');
  }
  return Number(text);
}

/** Like `limit`, but without 0, which would lock out all callers. */
export function limitFromOne(text: string): number | None {
  const value = limit(text);
  if (value === 0) throw new InvalidArgumentError('Must be a whole number of 1 or more, or `none`.');
  return value;
}

export function wholeNumberOf(unit: string, digitsAtMost: number): (text: string) => number {
  return (text) => {
    if (!/^[1-9]\d*$/.test(text) || text.length > digitsAtMost) {
      throw new InvalidArgumentError(`Must be a whole number of ${unit}.`);
    }
    return Number(text);
  };
}

export function weight(text: string): number {
  if (!/^(?:[1-9]\d{0,2}|1000)$/.test(text)) {
    throw new InvalidArgumentError('Must be a whole number from 1 to 1000.');
  }
  return Number(text);
}

/** No carrier accepts more. */
const fastestCallsPerSecond = 1_000_000;

/** Calls per second, or `none`. */
export function rate(text: string): number | None {
  if (text === 'none') return text;
  const value = Number(text);
  if (text.trim() === '' || !(value >= slowestCallsPerSecond && value <= fastestCallsPerSecond)) {
    throw new InvalidArgumentError(
      `Must be a number from ${slowestCallsPerSecond} to ${fastestCallsPerSecond}, or \`none\`.`,
    );
  }
  return value;
}

export function roleOption(): Option {
  return new Option('--role <role>', 'admin, manager, member or viewer').choices([
    'admin',
    'manager',
    'member',
    'viewer',
  ]);
}

/** Collects `name=value`, each name once. A value that is JSON is parsed. */
export function setting(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const [name, value] = pairOf(text, before);
  return { ...before, [name]: jsonOrText(value) };
}

function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) return text;
  const fault = findJsonFault(text);
  if (fault?.kind === 'repeated_name') {
    throw new InvalidArgumentError(`The JSON names ${fault.path.join('.')} twice.`);
  }
  if (fault !== null) {
    throw new InvalidArgumentError(
      'The number has more digits than are kept: write it as text, in quotation marks.',
    );
  }
  return value;
}

/** Collects `name=value` as text, each name once. */
export function parameter(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [name, value] = pairOf(text, before);
  return { ...before, [name]: value };
}

function pairOf(text: string, before: object): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Must have the form name=value.');
  const name = text.slice(0, at);
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return [name, text.slice(at + 1)];
}
