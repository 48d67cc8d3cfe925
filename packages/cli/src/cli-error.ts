/** An error for the user: one clear line, no stack. */
export class CliError extends Error {
  readonly code: string;
  readonly faults: readonly FileFault[];
  /** The unit of a fault's `line`. */
  readonly unit: 'line' | 'number';

  constructor(
    code: string,
    message: string,
    faults: readonly FileFault[] = [],
    unit: 'line' | 'number' = 'line',
  ) {
    super(message);
    this.unit = unit;
    this.name = new.target.name;
    this.code = code;
    this.faults = faults;
  }
}

export interface FileFault {
  line: number;
  message: string;
}

export function skippedLine({ line, message }: FileFault): string {
  return `line ${line} ${message}; skipped`;
}

/** The command itself is wrong: exit status 2. */
export class UsageError extends CliError {
  constructor(message: string) {
    super('usage', message);
  }
}
