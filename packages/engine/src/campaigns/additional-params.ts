import {
  andMore,
  freeFormBytesAtMost,
  jsonBytes,
  recipientBytesAtMost,
  TimeZoneHints,
  type ValidationErrorEntry,
} from '@outdial/contracts';
import { type CallingPolicy, faultOfPlace, isE164, isTimeZone, placeFieldOf } from '@outdial/core';
import type { JsonObject, RecipientDetails } from '@outdial/db';

/** The fields of a campaign's `additional_params` that the engine uses (docs/behaviour.md). */
export interface EngineParams {
  /** Null for the organization's. */
  timezone: string | null;
  promptParams: Record<string, string>;
  recipients: ReadonlyMap<string, RecipientDetails>;
}

export type ParsedEngineParams =
  | { kind: 'ok'; params: EngineParams }
  | { kind: 'invalid'; faults: ValidationErrorEntry[] };

const faultsAtMost = 100;
/** Checking an invalid name is slow. After this many different ones, the request is refused without checking or counting more. */
const wrongZonesAtMost = 10_000;

/**
 * Ignores fields that the engine does not use. Null counts as missing. Under the policy `strict`, a field of a recipient that looks like a place and
 * is not used is a fault, because the person would be called by the hours of another place.
 */
export function parseAdditionalParams(
  additionalParams: JsonObject,
  { callingPolicy = 'none' }: { callingPolicy?: CallingPolicy } = {},
): ParsedEngineParams {
  const reader = new ParamsReader(callingPolicy === 'strict');
  const at = ['body', 'additional_params'];
  const { recipients: _, ...rest } = additionalParams;
  reader.size(rest, at, freeFormBytesAtMost);
  const params: EngineParams = {
    timezone: reader.timezone(additionalParams['timezone'], [...at, 'timezone']),
    promptParams: reader.promptParams(additionalParams['prompt_params'], [...at, 'prompt_params']) ?? {},
    recipients: reader.recipients(additionalParams['recipients'], [...at, 'recipients']),
  };
  if (reader.faults.length === 0) return { kind: 'ok', params };
  return { kind: 'invalid', faults: [...reader.faults, ...andMore(at, reader.more)] };
}

/** Entries of `recipients` for numbers that are not on the list would have no effect, so they are faults. */
export function faultsOfUnlisted(
  params: EngineParams,
  phoneNumbers: readonly string[],
): ValidationErrorEntry[] {
  const faults: ValidationErrorEntry[] = [];
  if (params.recipients.size === 0) return faults;
  const listed = new Set(phoneNumbers);
  let more = 0;
  for (const phoneNumber of params.recipients.keys()) {
    if (listed.has(phoneNumber)) continue;
    if (faults.length >= faultsAtMost) {
      more += 1;
      continue;
    }
    faults.push({
      loc: ['body', 'additional_params', 'recipients', phoneNumber],
      msg: 'This number is not in phone_numbers',
      type: 'value_error',
    });
  }
  return [...faults, ...andMore(['body', 'additional_params', 'recipients'], more)];
}

const ofRecipient: ReadonlySet<string> = new Set(['timezone', 'prompt_params', 'region', 'postal_code']);

class ParamsReader {
  readonly faults: ValidationErrorEntry[] = [];
  /** Faults beyond those that are listed. */
  more = 0;
  private readonly wrongZones = new Set<string>();
  private readonly hints = new TimeZoneHints();
  private readonly requiresUsedPlaces: boolean;

  constructor(requiresUsedPlaces: boolean) {
    this.requiresUsedPlaces = requiresUsedPlaces;
  }

  timezone(value: unknown, loc: string[]): string | null {
    if (value === undefined || value === null) return null;
    if (typeof value !== 'string') return this.fault(loc, () => this.hints.fault(''), 'string_type');
    if (!this.wrongZones.has(value)) {
      if (this.wrongZones.size >= wrongZonesAtMost) return null;
      if (isTimeZone(value)) return value;
      this.wrongZones.add(value);
    }
    return this.fault(loc, () => this.hints.fault(value), 'value_error');
  }

  promptParams(value: unknown, loc: string[]): Record<string, string> | null {
    if (value === undefined || value === null) return null;
    if (!isObject(value)) return this.fault(loc, 'Input should be a valid object', 'dict_type');
    const params: Record<string, string> = {};
    for (const [name, text] of Object.entries(value)) {
      if (typeof text === 'string') params[name] = text;
      else this.fault([...loc, name], 'Input should be a valid string, in quotation marks', 'string_type');
    }
    return params;
  }

  recipients(value: unknown, loc: string[]): Map<string, RecipientDetails> {
    const recipients = new Map<string, RecipientDetails>();
    if (value === undefined || value === null) return recipients;
    if (!isObject(value)) {
      this.fault(
        loc,
        'Input should be a valid object with phone numbers as keys, such as {"+15550100123": {"prompt_params": {"name": "Ada"}}}',
        'dict_type',
      );
      return recipients;
    }
    for (const [phoneNumber, details] of Object.entries(value)) {
      const at = [...loc, phoneNumber];
      if (!isE164(phoneNumber)) {
        this.fault(
          at,
          'The key should be a phone number in E.164 format, such as +15550100123',
          'string_pattern_mismatch',
        );
      } else if (!isObject(details)) {
        this.fault(at, 'Input should be a valid object', 'dict_type');
      } else {
        this.size(details, at, recipientBytesAtMost);
        if (this.requiresUsedPlaces) this.unusedPlaces(details, at);
        recipients.set(phoneNumber, {
          ...this.place(details, at),
          promptParams: this.promptParams(details['prompt_params'], [...at, 'prompt_params']),
        });
      }
    }
    return recipients;
  }

  private unusedPlaces(details: JsonObject, at: string[]): void {
    for (const name of Object.keys(details)) {
      if (ofRecipient.has(name)) continue;
      const field = placeFieldOf(name);
      if (field === undefined) continue;
      const msg = `This looks like where the person is, and has no effect: name it \`${field}\`, or put it in \`prompt_params\``;
      this.fault([...at, name.slice(0, 64)], msg, 'extra_forbidden');
    }
  }

  private place(
    details: JsonObject,
    at: string[],
  ): Pick<RecipientDetails, 'timezone' | 'region' | 'postalCode'> {
    const timezone = this.timezone(details['timezone'], [...at, 'timezone']);
    const region = this.text(details['region'], [...at, 'region']);
    const postalCode = this.text(details['postal_code'], [...at, 'postal_code']);
    const fault = faultOfPlace({ timezone: timezone ?? undefined, region, postalCode });
    if (fault !== null) this.fault([...at, fault.field], fault.msg, 'value_error');
    return {
      timezone,
      ...(region !== undefined && { region }),
      ...(postalCode !== undefined && { postalCode }),
    };
  }

  private text(value: unknown, loc: string[]): string | undefined {
    if (value === undefined || value === null || typeof value === 'string') return value ?? undefined;
    this.fault(loc, 'Input should be a valid string', 'string_type');
    return undefined;
  }

  size(value: JsonObject, loc: string[], bytesAtMost: number): void {
    if (jsonBytes(value) <= bytesAtMost) return;
    const whole = loc.length === 2 ? ' without `recipients`' : '';
    this.fault(loc, `Input should have at most ${bytesAtMost} bytes of JSON${whole}`, 'too_long');
  }

  private fault(loc: string[], msg: string | (() => string), type: ValidationErrorEntry['type']): null {
    if (this.faults.length < faultsAtMost) {
      this.faults.push({ loc, msg: typeof msg === 'string' ? msg : msg(), type });
    } else this.more += 1;
    return null;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
