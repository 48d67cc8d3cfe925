/** Ends the start. The message is one clear line for the terminal. */
export class StartError extends Error {
  readonly code: string;
  readonly exitStatus: number;

  constructor(code: string, message: string, options?: { exitStatus?: number; cause?: unknown }) {
    super(message, { cause: options?.cause });
    this.name = new.target.name;
    this.code = code;
    this.exitStatus = options?.exitStatus ?? 1;
  }
}

/** The command line is wrong. */
export class UsageError extends StartError {
  constructor(message: string) {
    super('usage', `${message} (--help names the options)`, { exitStatus: 2 });
  }
}
