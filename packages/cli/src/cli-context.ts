import type { Readable } from 'node:stream';
import type { TelephonyProvider } from '@outdial/core';
import type { TelephonyEnvironment } from '@outdial/providers/environment';

interface AdapterRow {
  name: string;
  adapter: string;
  settings: Record<string, unknown>;
}

export interface AdapterRules {
  /** The faults in an adapter's settings, one per line. */
  settingsFaults(adapter: string, settings: Record<string, unknown>): string[];
  /** Checks a provider's row with the others in this environment. Returns its faults, hints, and the secret for the other side. */
  checkRow(
    row: AdapterRow,
    others: readonly AdapterRow[],
    environment: Readonly<Record<string, string | undefined>>,
  ): { faults: string[]; hints: string[]; secret: string | null };
  /** The adapter of a row. Null if this environment lacks its settings. */
  buildProvider(
    row: AdapterRow,
    settings: TelephonyEnvironment,
    environment: Readonly<Record<string, string | undefined>>,
  ): TelephonyProvider | null;
  /** The calls per second of a new provider for which no limit is given. */
  firstCallsPerSecond(adapter: string): number | null;
}

export interface CliContext {
  /** The command and its options, by name, for the audit log. */
  command?: { name: string; options: readonly string[] };
  env: Readonly<Record<string, string | undefined>>;
  /** The terminal's input, or a pipe's. */
  in: Readable;
  out: { write(text: string): unknown };
  err: { write(text: string): unknown };
  /** Whether `out` is a terminal that can redraw a line. */
  isTerminal: boolean;
  /** The base of relative file paths. */
  workingDirectory: string;
  now(): Date;
  /** The registry of adapters; loaded by the commands that need it. */
  adapterRules(): Promise<AdapterRules>;
  /** Calls `stop` at the first Ctrl-C. The returned function cancels this. */
  interrupted(stop: () => void): () => void;
}
