import type { RecipientDetails } from '@outdial/db';
import { recipientJson } from '@outdial/engine';

export function recipientFields(
  people: ReadonlyMap<string, RecipientDetails>,
  timezone: string | undefined,
): { phone_numbers: string[]; additional_params: Record<string, unknown> } {
  const recipients = recipientJson(people);
  return {
    phone_numbers: [...people.keys()],
    additional_params: {
      ...(timezone !== undefined && { timezone }),
      ...(Object.keys(recipients).length > 0 && { recipients }),
    },
  };
}
