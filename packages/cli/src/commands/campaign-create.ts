import {
  createCampaignBody,
  faultMessage,
  type CampaignConfigBody,
  type CreateCampaignBody,
} from '@outdial/contracts';
import { findAgent, findAgentsByName, findCallingPolicy, inTransaction, type Db } from '@outdial/db';
import {
  CampaignFieldsError,
  createCampaign,
  findCampaignWarnings,
  setCampaignConfig,
  setCampaignStatus,
  type StatusDeps,
} from '@outdial/engine';
import { Option, type Command } from 'commander';
import { CliError, skippedLine, UsageError } from '../cli-error.ts';
import { configOf, configOptions, type ConfigOptions } from '../campaign/config-options.ts';
import { recipientFields } from '../campaign/recipient-fields.ts';
import { parseRecipientsCsv } from '../csv/recipients-csv.ts';
import { findUser } from '../find-named.ts';
import { inOrganization, isId } from '../in-organization.ts';
import { openFile } from '../open-file.ts';
import { leaf, listOptions, type ListOptions, orgOption, timezoneOption } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';
import { withEngine } from '../campaign/with-engine.ts';

interface Options extends ConfigOptions, ListOptions {
  json?: boolean;
  org?: string;
  user?: string;
  agent: string;
  name: string;
  csv: string;
  status: 'draft' | 'paused' | 'running';
  timezone?: string;
  startDate?: string;
  endDate?: string;
  startTime?: string;
  endTime?: string;
}

export function addCampaignCreate(campaign: Command, context: CliContext): void {
  configOptions(
    listOptions(
      leaf(campaign, 'create', 'create a campaign from a CSV file; malformed rows are reported and skipped'),
    )
      .requiredOption(
        '--csv <file>',
        'a file with a column phone and optionally timezone, region and postal_code; other columns are values for the prompt',
      )
      .requiredOption('--name <name>')
      .requiredOption('--agent <id or name>')
      .option(...orgOption)
      .option('--user <id or email>', 'the user that creates it; the first admin or manager by default')
      .addOption(new Option('--status <status>').choices(['draft', 'paused', 'running']).default('draft'))
      .addOption(timezoneOption('IANA; the organization’s by default'))
      .option('--start-date <date>', 'date or date-time; now by default')
      .option('--end-date <date>', 'date or date-time; open-ended by default')
      .option('--start-time <HH:MM>', '00:00 by default')
      .option('--end-time <HH:MM>', '24:00 by default'),
  ).action(async (options: Options) => {
    const config = readConfig(options);
    const {
      recipients,
      faults,
      warnings: ofFile,
      unusedPlaces,
    } = await parseRecipientsCsv(openFile(context, options.csv), options);
    if (recipients.size === 0) {
      throw new CliError('no_recipients', `${options.csv} has no row that can be dialed`, faults);
    }
    const created = await inOrganization(context, options, async (db, organizationId) => {
      await requireUsedPlaces(db, organizationId, unusedPlaces);
      const user = await findUser(db, organizationId, options.user);
      const agent_id = await findAgentId(db, organizationId, options.agent);
      const fields = readFields({ ...recipientFields(recipients, options.timezone), agent_id }, options);
      return withEngine(context, db, (deps) =>
        create(deps, { organizationId, userId: user.id, fields, config }),
      );
    });
    const warnings = [...ofFile, ...created.warnings.map(inOptions)];
    const answer = { ...created, recipients: recipients.size, faults, warnings };
    say(context, options, answer, [
      ...faults.map(skippedLine),
      ...warnings.map((warning) => `warning: ${warning}`),
      `campaign ${created.id} (${created.status}): ${recipients.size} numbers, ${faults.length} rows skipped`,
    ]);
  });
}

/** Under the policy `strict`, it has to be said of every column that looks like a place: the hours of another place may be wrong. */
async function requireUsedPlaces(
  db: Db,
  organizationId: string,
  [column, ...others]: readonly string[],
): Promise<void> {
  if (column === undefined || (await findCallingPolicy(db, organizationId)) !== 'strict') return;
  const columns = [column, ...others].map((name) => JSON.stringify(name)).join(', ');
  throw new CliError(
    'place_unclear',
    `the calling policy is strict, and the file has columns that look like where a person is: ${columns}. Map each to timezone, region or postal_code (--map "${column}=region"), or to a prompt value (--map "${column}=prompt_params.${column}")`,
  );
}

/** Translates the API's field names in a warning to command line options. */
function inOptions(warning: string): string {
  return warning
    .replaceAll('additional_params.timezone', '--timezone')
    .replaceAll(/\b(start|end)_(time|date)\b/g, '--$1-$2');
}

/** The config must be set before the first dial, so the campaign is created paused, configured, and then started. */
async function create(
  deps: StatusDeps,
  args: {
    organizationId: string;
    userId: string;
    fields: CreateCampaignBody;
    config: CampaignConfigBody | null;
  },
): Promise<{ id: string; status: string; warnings: string[] }> {
  const { organizationId, userId, config } = args;
  const status = args.fields.status ?? 'draft';
  const first = config !== null && status === 'running' ? 'paused' : status;
  const { campaignId } = await createCampaign(deps, {
    organizationId,
    userId,
    fields: { ...args.fields, status: first },
  }).catch((error: unknown) => {
    throw error instanceof CampaignFieldsError ? new UsageError(error.publicMessage) : error;
  });
  const key = { organizationId, campaignId };
  if (config !== null) await setCampaignConfig(deps, { ...key, body: config });
  if (first !== status) await setCampaignStatus(deps, { ...key, status, userId });
  const warnings = await findCampaignWarnings(deps.db, key);
  return { id: campaignId, status, warnings: warnings.map(({ msg }) => msg) };
}

function readConfig(options: ConfigOptions): CampaignConfigBody | null {
  const parsed = configOf(options);
  if (parsed === null) return null;
  if (parsed.success) return parsed.data;
  throw new UsageError(wordsOf(parsed.error.issues));
}

function readFields(
  recipients: { phone_numbers: string[]; additional_params: object; agent_id: string },
  options: Options,
): CreateCampaignBody {
  const parsed = createCampaignBody.safeParse(
    {
      ...recipients,
      name: options.name,
      status: options.status,
      start_date: options.startDate,
      end_date: options.endDate,
      start_time: options.startTime,
      end_time: options.endTime,
    },
    { error: faultMessage },
  );
  if (parsed.success) return parsed.data;
  throw new UsageError(wordsOf(parsed.error.issues));
}

function wordsOf(issues: ReadonlyArray<{ path: PropertyKey[]; message: string }>): string {
  return issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}

async function findAgentId(db: Db, organizationId: string, named: string): Promise<string> {
  const byId = isId(named) ? await findAgent(db, { organizationId, agentId: named }) : null;
  if (byId !== null) return byId.id;
  const [id, another] = await inTransaction(db, (tx) =>
    findAgentsByName(tx, { organizationId, name: named }),
  );
  if (another !== undefined) throw new UsageError(`more than one agent is named ${named}: use the id`);
  if (id === undefined) {
    throw new CliError(
      'agent_not_found',
      `the organization has no agent ${named}; \`outdial agent list\` has them all`,
    );
  }
  return id;
}
