const prefix = 'repeat: ';

/** The line with which a program that failed names the command that repeats the failure alone. They are the last lines of its output. */
export function repeatLine(command: string): string {
  return `${prefix}${command}`;
}

/** The commands that a program's output names for its failures. */
export function repeatsIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith(prefix))
    .map((line) => line.slice(prefix.length));
}

/** A word for a POSIX shell. */
export function quote(word: string): string {
  return /^[\w./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
