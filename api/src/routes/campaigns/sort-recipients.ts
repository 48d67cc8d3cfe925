import { isDeepStrictEqual } from 'node:util';
import { faultMessage, newRecipient, TimeZoneHints, type AddedRecipients } from '@outdial/contracts';
import { maskPhoneNumber, withPauses } from '@outdial/core';
import type { RecipientDetails } from '@outdial/db';
import { z } from 'zod';
import { entriesOf } from '../../http/validation.ts';

export interface SortedRecipients {
  /** By number, each at its first position. */
  recipients: Map<string, RecipientDetails>;
  /** The position of each item in the request. */
  places: Map<string, number>;
  refused: AddedRecipients['refused'];
  /** How many items repeat a number without other values. With other values, they are refused. */
  repeated: number;
}

const numbered = z.object({ phone_number: z.string() });

/** Splits the items into valid ones and refused ones, with reasons. */
export async function sortRecipients(given: readonly unknown[]): Promise<SortedRecipients> {
  const sorted: SortedRecipients = { recipients: new Map(), places: new Map(), refused: [], repeated: 0 };
  const schema = newRecipient(new TimeZoneHints());
  for await (const [index, value] of withPauses(given.entries())) {
    const read = schema.safeParse(value, { error: faultMessage });
    if (!read.success) {
      const named = numbered.safeParse(value);
      const number = named.success ? maskPhoneNumber(named.data.phone_number) : null;
      sorted.refused.push({ index, phone_number: number, reason: reasonOf(value, schema, read.error) });
      continue;
    }
    const { phone_number: phoneNumber, prompt_params: promptParams, timezone, region } = read.data;
    const details: RecipientDetails = {
      promptParams: promptParams ?? null,
      timezone: timezone ?? null,
      region: region ?? undefined,
      postalCode: read.data.postal_code ?? undefined,
    };
    const before = sorted.recipients.get(phoneNumber);
    if (before === undefined) {
      sorted.places.set(phoneNumber, index);
      sorted.recipients.set(phoneNumber, details);
    } else if (!hasOtherValues(details, before)) sorted.repeated++;
    else {
      const reason = `repeats the number of item ${sorted.places.get(phoneNumber)} with other values: which are right?`;
      sorted.refused.push({ index, phone_number: maskPhoneNumber(phoneNumber), reason });
    }
  }
  return sorted;
}

/** Whether keeping the earlier values would lose one of the repeated item. */
function hasOtherValues(repeated: RecipientDetails, before: RecipientDetails): boolean {
  return (['promptParams', 'timezone', 'region', 'postalCode'] as const).some(
    (name) => repeated[name] != null && !isDeepStrictEqual(repeated[name], before[name]),
  );
}

export function refuseNumbers(sorted: SortedRecipients, reasons: ReadonlyMap<string, string>): void {
  for (const [phoneNumber, reason] of reasons) {
    sorted.recipients.delete(phoneNumber);
    const index = sorted.places.get(phoneNumber) ?? 0;
    sorted.refused.push({ index, phone_number: maskPhoneNumber(phoneNumber), reason });
  }
  sorted.refused.sort((one, other) => one.index - other.index);
}

function reasonOf(value: unknown, schema: z.ZodType, error: z.ZodError): string {
  return entriesOf('body', value, schema, error)
    .map(({ loc, msg }) => [loc.slice(1).join('.'), msg].filter((part) => part !== '').join(': '))
    .join('; ');
}
