import { checkAllCalls, listProviderAdapters } from '@outdial/db';
import { compareCalls, lookUpGraceMs } from '@outdial/engine';
import { telephonyEnv } from '@outdial/providers/environment';
import { loadEnv } from '@outdial/runtime';
import { InvalidArgumentError, type Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { environmentOf, withDatabase } from '../open-database.ts';
import { leaf } from '../options.ts';
import { say, table } from '../output.ts';

interface Options {
  since: Date;
  json?: boolean;
}

/** `outdial provider compare`: after a restore, the calls that only the carrier or only the database has. */
export function addProviderCompare(provider: Command, context: CliContext): void {
  leaf(provider, 'compare', "compare a carrier's own list of calls with the database, as after a restore")
    .argument('<name>')
    .requiredOption('--since <instant>', 'such as 2026-11-27T08:00:00Z: the start of the backup', instant)
    .action(async (name: string, options: Options) => {
      const env = environmentOf(context);
      const { telephony } = loadEnv({ telephony: telephonyEnv }, env);
      const rules = await context.adapterRules();
      const { compared, lookedUp } = await withDatabase(context, async (db) => {
        const rows = await listProviderAdapters(db);
        const row = rows.find((one) => one.name === name);
        if (!row) {
          throw new UsageError(
            `there is no provider ${name}; there are ${rows.map((one) => one.name).join(', ')}`,
          );
        }
        const adapter = rules.buildProvider(row, telephony, env);
        if (adapter === null) throw new UsageError(`this environment lacks the settings of provider ${name}`);
        return {
          compared: await compareCalls(db, { provider: adapter, since: options.since }),
          lookedUp: await checkAllCalls(db, { graceMs: lookUpGraceMs }),
        };
      });
      if (compared.kind === 'no_list') {
        throw new CliError('no_list', `provider ${name} cannot list its calls: compare with its own records`);
      }
      if (compared.kind === 'unreachable') {
        throw new CliError('provider_unreachable', `provider ${name} gave no list: ${compared.reason}`);
      }
      const { both, onlyAtProvider, onlyHere } = compared;
      say(
        context,
        options,
        {
          both,
          only_at_provider: onlyAtProvider.map((call) => ({
            conversation_id: call.conversationId,
            phone_number: call.toPhone,
            at: call.at,
          })),
          only_here: onlyHere.map((call) => ({
            call_id: call.id,
            organization_id: call.organizationId,
            phone_number: call.toPhone,
            at: call.gatedAt,
          })),
          calls_looked_up: lookedUp,
        },
        [
          `calls that both have: ${both}`,
          ...part(
            'calls that only the carrier has; suppress or withdraw these people before campaigns go on',
            onlyAtProvider.map(({ conversationId, toPhone, at }) => [conversationId, toPhone, at]),
          ),
          ...part(
            'calls that only the database has',
            onlyHere.map(({ id, toPhone, gatedAt }) => [id, toPhone, gatedAt]),
          ),
          ...(lookedUp === 0 ? [] : [`calls in progress, which the scheduler looks up now: ${lookedUp}`]),
        ],
      );
    });
}

function part(title: string, rows: ReadonlyArray<[string, string | null, Date | null]>): string[] {
  const lines = rows.map(([id, phone, at]) => [id, phone ?? '', at?.toISOString() ?? '']);
  return [`${title}: ${rows.length}`, ...(rows.length === 0 ? [] : table(['CALL', 'NUMBER', 'AT'], lines))];
}

function instant(text: string): Date {
  const at = new Date(text);
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  if (isWhole && !Number.isNaN(at.getTime())) return at;
  throw new InvalidArgumentError('Must be an instant with its offset, such as 2026-11-27T08:00:00Z.');
}
