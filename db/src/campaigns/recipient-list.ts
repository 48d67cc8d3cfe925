import type { CallingKey, CallingPolicy } from '@outdial/core';
import type { RecipientDetails } from './recipient-details.ts';
import { placeJson, recipientKey } from './recipient-keys.ts';

/** The numbers of a campaign, as plain strings: a million objects would not fit into memory. */
export interface RecipientList {
  /** In the order of the list, each number once. */
  phoneNumbers: readonly string[];
  /** The zone of every number that has none of its own; under a calling policy the number says where it is. */
  timezone: string;
  callingPolicy: CallingPolicy;
  /** Only the numbers about which something is said; those that are not in the list mean nothing. */
  details: ReadonlyMap<string, RecipientDetails>;
}

/** Parallel columns for `unnest`, which is as fast as COPY here: triggers and indexes cost far more than the transport. */
export interface RecipientChunk {
  firstPosition: number;
  phoneNumbers: string[];
  /** Null: the campaign's zone. */
  keys: Array<CallingKey | null>;
  places: Array<string | null>;
  promptParams: Array<string | null>;
}

/** Large enough that a statement's own cost vanishes, small enough that a chunk is a few megabytes. */
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

/** The calling keys of the list: the ones to look at when it is asked who may be dialed now. */
export function zonesOf(list: RecipientList): string[] {
  if (list.callingPolicy === 'none' && list.details.size === 0) return [list.timezone];
  const zones = new Set<string>();
  for (const phoneNumber of list.phoneNumbers) {
    zones.add(recipientKey(list.callingPolicy, phoneNumber, list.details.get(phoneNumber)) ?? list.timezone);
  }
  return [...zones].toSorted();
}
