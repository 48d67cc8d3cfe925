import type { Readable } from 'node:stream';

interface AdapterRow {
  name: string;
  adapter: string;
  settings: Record<string, unknown>;
}

export interface AdapterRules {
  /** What is wrong with settings of an adapter's, a line each. */
  settingsFaults(adapter: string, settings: Record<string, unknown>): string[];
  /** Whether a provider's row can work beside the others in this environment, and the secret to give to the other side. */
  checkRow(
    row: AdapterRow,
    others: readonly AdapterRow[],
    environment: Readonly<Record<string, string | undefined>>,
  ): { faults: string[]; hints: string[]; secret: string | null };
  /** The limit of a provider that is new and has been given none. */
  firstCallsPerSecond(adapter: string): number | null;
}

/** What a command needs of the world. */
export interface CliContext {
  /** The command that runs, and the options that it was given, by name: for the audit log. */
  command?: { name: string; options: readonly string[] };
  env: Readonly<Record<string, string | undefined>>;
  /** What a person types, or a pipe says. */
  in: Readable;
  out: { write(text: string): unknown };
  err: { write(text: string): unknown };
  /** Whether `out` is a terminal that can redraw a line. */
  isTerminal: boolean;
  /** What paths of files are relative to. */
  workingDirectory: string;
  now(): Date;
  /** What is known of adapters; loaded by the commands that need it. */
  adapterRules(): Promise<AdapterRules>;
  /** Calls `stop` at the first Ctrl-C; the answer takes that back. */
  interrupted(stop: () => void): () => void;
}
