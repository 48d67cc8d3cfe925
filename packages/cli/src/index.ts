export { parseRecipientsCsv, type CsvFault, type RecipientsCsv } from './csv/recipients-csv.ts';
export { runCli, type CliContext } from './run-cli.ts';
