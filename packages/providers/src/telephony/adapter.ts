import type { TelephonyProvider } from '@outdial/core';
import type { EnvFragment } from '@outdial/runtime';
import type { z } from 'zod';

/** The fields of a `providers` row that its adapter uses. */
export interface ProviderRow {
  name: string;
  adapter: string;
  settings: Record<string, unknown>;
}

export interface BuildContext<Installation> {
  /** The environment's settings for this kind of carrier; undefined if there are none. */
  installation: Installation | undefined;
  /** The URL at which providers reach the api, without a trailing slash. */
  publicUrl: string;
  /** Holds the secrets that rows refer to by name. */
  environment: Readonly<Record<string, string | undefined>>;
}

export interface RowCheck {
  /** Why calls cannot go through the provider, one line each. */
  faults: string[];
  /** Steps that the operator has to take elsewhere. */
  hints: string[];
  /** The secret to configure on the other side; null if the other side already has it. */
  secret: string | null;
}

/**
 * A kind of carrier. Each has a folder here, whose `adapter.ts` exports it, and a line in `registry.ts`. The environment, `.env.example`, the
 * command line and the contract suite read their lists from the registry.
 */
export interface TelephonyAdapter<Name extends string, Installation> {
  /** The adapter's name in `providers.adapter` and `TELEPHONY_PROVIDER`. */
  name: Name;
  /** Environment variables, and how the adapter reads them. */
  environment: EnvFragment<Installation | undefined>;
  /** Variables that must be set if `TELEPHONY_PROVIDER` names the adapter. */
  requiredVariables: readonly string[];
  /** The schema of a row's settings, which are checked before they are saved. */
  rowSettings: z.ZodObject | null;
  /** Checks whether a row can work beside the other rows. Absent if the settings alone decide. */
  checkRow?(
    row: ProviderRow,
    others: readonly ProviderRow[],
    environment: Readonly<Record<string, string | undefined>>,
  ): RowCheck;
  /** The calls per second of a new provider; null for no limit. */
  firstCallsPerSecond: number | null;
  /** Null if the row's settings are invalid or incomplete. */
  build(row: ProviderRow, context: BuildContext<Installation>): TelephonyProvider | null;
}
