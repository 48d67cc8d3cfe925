// E.164 with its plus sign, which may be URL-encoded. No subscriber has fewer than seven digits.
const phoneNumber = /(\+|%2B)([1-9]\d)(\d{3,11})(\d{2})(?!\d)/gi;

// The lengths are bounded, because a line that repeats `://:` would otherwise take quadratic time.
const urlPassword = /(:\/\/[^\s:/@"\\]{0,256}:)[^\s@"\\]{1,256}@/g;

/** Masks phone numbers and URL passwords in a finished line of the log. This is cheaper than walking every logged object, and also covers messages and stack traces. */
export function maskLine(line: string): string {
  let masked = line;
  if (masked.includes('+') || masked.includes('%2B') || masked.includes('%2b')) {
    masked = masked.replace(
      phoneNumber,
      (_all, plus: string, first: string, middle: string, last: string) => {
        return `${plus}${first}${'*'.repeat(middle.length)}${last}`;
      },
    );
  }
  return masked.includes('://') ? masked.replace(urlPassword, '$1***@') : masked;
}
