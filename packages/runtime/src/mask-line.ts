// E.164 with its plus sign, also as it looks in a url. Shorter than seven digits is no subscriber's number.
const phoneNumber = /(\+|%2B)([1-9]\d)(\d{3,11})(\d{2})(?!\d)/gi;

// A name and a password of at most so many characters: without an end to each, a line of `://:` again and again would be searched again
// from each of them.
const urlPassword = /(:\/\/[^\s:/@"\\]{0,256}:)[^\s@"\\]{1,256}@/g;

/**
 * Takes phone numbers and the passwords of urls out of a line that is about to be written, whichever field, message or
 * stack trace they are in. One pass over the finished text is cheaper than a walk through every logged object, and
 * nothing escapes it.
 */
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
