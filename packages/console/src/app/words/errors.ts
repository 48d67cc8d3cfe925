import { type Fault, OutdialError } from '@outdial/client';

export function messageOf(error: unknown): string {
  if (error instanceof OutdialError) {
    if (error.faults.length > 0) return faultsInWords(error.faults);
    if (error.status === 403 && error.code === 'forbidden_role') return 'Your role does not allow this.';
    if (error.status >= 500) return 'The service failed. Try again in a moment.';
    return endsWithStop(error.message);
  }
  if (error instanceof TypeError) return 'The service cannot be reached. Check the connection and try again.';
  return error instanceof Error ? endsWithStop(error.message) : 'Something went wrong.';
}

/** A sentence for each fault, after the name of its field. */
export function faultsInWords(faults: readonly Fault[]): string {
  return faults.map(({ loc, msg }) => `${fieldOf(loc)}${endsWithStop(msg)}`).join(' ');
}

/** The faults of `fields` of a form, a sentence for each field. */
export function faultsOfFields(error: unknown, fields: readonly string[]): Record<string, string> {
  const faults = error instanceof OutdialError ? error.faults : [];
  return Object.fromEntries(
    faults.flatMap(({ loc, msg }) => {
      const field = fields.find((name) => loc.includes(name));
      return field === undefined ? [] : [[field, sentenceOf(msg)]];
    }),
  );
}

/** `end_date should be after start_date` → `End date should be after start date.` */
function sentenceOf(message: string): string {
  const words = message.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => name.replaceAll('_', ' '));
  return endsWithStop(`${words.charAt(0).toUpperCase()}${words.slice(1)}`);
}

/** Whether every fault belongs to one of `fields`, so that none has to be shown elsewhere. */
export function areAllBeside(error: unknown, fields: readonly string[]): boolean {
  const faults = error instanceof OutdialError ? error.faults : [];
  return faults.length > 0 && faults.every(({ loc }) => fields.some((name) => loc.includes(name)));
}

/** `["body", "start_time"]` → `Start time: `. */
function fieldOf(loc: ReadonlyArray<string | number>): string {
  const names = loc.slice(1).filter((part) => typeof part === 'string' && part !== 'campaign');
  const name = names.at(-1);
  if (typeof name !== 'string') return '';
  const words = name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}: `;
}

export function endsWithStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
