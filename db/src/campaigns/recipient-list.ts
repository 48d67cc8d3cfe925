import type { CallingKey, CallingPolicy } from '@outdial/core';
import type { RecipientDetails } from './recipient-details.ts';
import { placeJson, recipientKey } from './recipient-keys.ts';

/** The numbers of a campaign as plain strings, because a million objects would not fit into memory. */
export interface RecipientList {
  /** In list order, without duplicates. */
  phoneNumbers: readonly string[];
  /** The zone of numbers without their own. Under a calling policy, the number decides instead. */
  timezone: string;
  callingPolicy: CallingPolicy;
  /** Entries for numbers that are not on the list have no effect. */
  details: ReadonlyMap<string, RecipientDetails>;
}

/** Columns for `unnest`, which is as fast as COPY here, because triggers and indexes take most of the time. */
export interface RecipientChunk {
  firstPosition: number;
  phoneNumbers: string[];
  /** Null for the campaign's zone. */
  keys: Array<CallingKey | null>;
  places: Array<string | null>;
  promptParams: Array<string | null>;
}

/** Large enough to amortize a statement, and only a few megabytes. */
const chunkLength = 10_000;

export function* recipientChunks(list: RecipientList): Generator<RecipientChunk> {
  for (let start = 0; start < list.phoneNumbers.length; start += chunkLength) {
    const phoneNumbers = list.phoneNumbers.slice(start, start + chunkLength);
    const details = phoneNumbers.map((phoneNumber) => list.details.get(phoneNumber));
    yield {
      firstPosition: start,
      phoneNumbers,
      keys: phoneNumbers.map((phoneNumber, n) => recipientKey(list.callingPolicy, phoneNumber, details[n])),
      places: details.map((own) => placeJson(own)),
      promptParams: details.map((own) =>
        own?.promptParams == null ? null : JSON.stringify(own.promptParams),
      ),
    };
  }
}

/** The distinct calling keys of the list. */
export function callingKeysOf(list: RecipientList): string[] {
  if (list.callingPolicy === 'none' && list.details.size === 0) return [list.timezone];
  const zones = new Set<string>();
  for (const phoneNumber of list.phoneNumbers) {
    zones.add(recipientKey(list.callingPolicy, phoneNumber, list.details.get(phoneNumber)) ?? list.timezone);
  }
  return [...zones].toSorted();
}
