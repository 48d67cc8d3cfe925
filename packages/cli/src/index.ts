export { openProgressDisplay } from './campaign/progress-display.ts';
export { isOver } from './campaign/progress-line.ts';
export { recipientFields } from './campaign/recipient-fields.ts';
export { parseRecipientsCsv, type CsvFault, type RecipientsCsv } from './csv/recipients-csv.ts';
export type { LocalStackFile } from './local-stack.ts';
