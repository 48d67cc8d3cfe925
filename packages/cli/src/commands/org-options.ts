import { listProviderNames, type Db, type OrganizationChange } from '@outdial/db';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { limit, orNull, timezoneOption, type None } from '../options.ts';

export interface OrgOptions {
  json?: boolean;
  timezone?: string;
  maxLines?: number | None;
  defaultProvider?: string;
}

export function limitOptions(command: Command): Command {
  return command
    .addOption(timezoneOption('IANA; holds for campaigns that name none'))
    .option('--max-lines <number>', 'calls in progress at most; `none` for no cap', limit)
    .option(
      '--default-provider <name>',
      'carries its calls unless the agent names one; `none` for the installation’s',
    );
}

/** What the options change, `none` taken as null. */
export function changeOf({ timezone, maxLines, defaultProvider }: OrgOptions): OrganizationChange {
  const lines = orNull(maxLines);
  const provider = orNull(defaultProvider);
  return {
    ...(timezone !== undefined && { timezone }),
    ...(lines !== undefined && { maxLines: lines }),
    ...(provider !== undefined && { defaultProvider: provider }),
  };
}

export async function requireProvider(db: Db, name: string | null | undefined): Promise<void> {
  if (name == null) return;
  const names = await listProviderNames(db);
  if (names.includes(name)) return;
  const known = names.length === 0 ? 'none is set' : `known: ${names.join(', ')}`;
  throw new CliError(
    'provider_not_found',
    `there is no provider ${name} (${known}): make it with \`outdial provider set\``,
  );
}
