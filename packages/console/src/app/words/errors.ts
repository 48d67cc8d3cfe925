import { OutdialError } from '@outdial/client';

/** What went wrong, as a sentence for a person. */
export function messageOf(error: unknown): string {
  if (error instanceof OutdialError) {
    if (error.faults.length > 0) {
      return error.faults.map(({ loc, msg }) => `${fieldOf(loc)}${msg}.`).join(' ');
    }
    if (error.status === 403 && error.code === 'forbidden_role') return 'Your role does not allow this.';
    if (error.status >= 500) return 'The service could not do this just now. Try again in a moment.';
    return endsWithStop(error.message);
  }
  if (error instanceof TypeError) return 'The service cannot be reached. Check the connection and try again.';
  return error instanceof Error ? endsWithStop(error.message) : 'Something went wrong.';
}

/** `["body", "start_time"]` → `Start time: `. */
function fieldOf(loc: ReadonlyArray<string | number>): string {
  const names = loc.slice(1).filter((part) => typeof part === 'string' && part !== 'campaign');
  const name = names.at(-1);
  if (typeof name !== 'string') return '';
  const words = name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}: `;
}

function endsWithStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
