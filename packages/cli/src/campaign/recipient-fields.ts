import type { CsvRecipient } from '../csv/recipients-csv.ts';

export function recipientFields(
  rows: readonly CsvRecipient[],
  timezone: string | undefined,
): { phone_numbers: string[]; additional_params: Record<string, unknown> } {
  const recipients: Record<string, object> = {};
  for (const row of rows) {
    const hasValues = Object.keys(row.promptParams).length > 0;
    if (!hasValues && row.timezone === null) continue;
    recipients[row.phoneNumber] = {
      ...(hasValues && { prompt_params: row.promptParams }),
      ...(row.timezone !== null && { timezone: row.timezone }),
    };
  }
  return {
    phone_numbers: rows.map((row) => row.phoneNumber),
    additional_params: {
      ...(timezone !== undefined && { timezone }),
      ...(Object.keys(recipients).length > 0 && { recipients }),
    },
  };
}
