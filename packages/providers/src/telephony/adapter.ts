import type { TelephonyProvider } from '@outdial/core';
import type { EnvFragment } from '@outdial/runtime';
import type { z } from 'zod';

/** A row of `providers`, as far as its adapter goes. */
export interface ProviderRow {
  name: string;
  adapter: string;
  settings: Record<string, unknown>;
}

export interface BuildContext<Installation> {
  /** The environment's settings for this kind of carrier; undefined if there are none. */
  installation: Installation | undefined;
  /** How providers reach the api, without a trailing slash. */
  publicUrl: string;
  /** Holds the secrets that rows name. */
  environment: Readonly<Record<string, string | undefined>>;
}

export interface RowCheck {
  /** Why calls cannot go through the provider, a line each. */
  faults: string[];
  /** Steps that the operator has to take elsewhere. */
  hints: string[];
  /** The secret to configure on the other side; null if it already has it. */
  secret: string | null;
}

/**
 * A kind of carrier. Each has a folder here, whose `adapter.ts` exports one, and a line in `registry.ts`; the environment, `.env.example`, the
 * command line and the contract suite take their lists from there.
 */
export interface TelephonyAdapter<Name extends string, Installation> {
  /** Its name in `providers.adapter` and `TELEPHONY_PROVIDER`. */
  name: Name;
  /** Variables of the environment, and what the adapter makes of them. */
  environment: EnvFragment<Installation | undefined>;
  /** Variables that must be set where `TELEPHONY_PROVIDER` names the adapter. */
  requiredVariables: readonly string[];
  /** The schema of a row's settings, to check them before they are written. */
  rowSettings: z.ZodObject | null;
  /** Whether a row can work beside the others, where more can be told than from its settings alone. */
  checkRow?(
    row: ProviderRow,
    others: readonly ProviderRow[],
    environment: Readonly<Record<string, string | undefined>>,
  ): RowCheck;
  /** The pace of a new provider; null for none. */
  firstCallsPerSecond: number | null;
  /** Null if the settings of the row are wrong, or incomplete. */
  build(row: ProviderRow, context: BuildContext<Installation>): TelephonyProvider | null;
}
