import { importScrubListBody } from '@outdial/contracts';
import { type Numbering, scrubGoodUntil } from '@outdial/core';
import {
  addToScrubList,
  byInstant,
  type Db,
  engineNow,
  inTransaction,
  listScrubLists,
  noteChange,
  readPages,
  removeScrubList,
  type ScrubListRow,
} from '@outdial/db';
import { faultOfOlder, faultOfScrub } from '@outdial/engine';
import type { Command } from 'commander';
import { CliError, type FileFault, skippedLine, UsageError } from '../cli-error.ts';
import type { CliContext } from '../cli-context.ts';
import { readSuppressionsCsv } from '../csv/suppressions-csv.ts';
import { inOrganization } from '../in-organization.ts';
import { openFile } from '../open-file.ts';
import { leaf, numberingOptions, orgOption } from '../options.ts';
import { say } from '../output.ts';

const chunkLength = 10_000;

interface ImportOptions extends Numbering {
  json?: boolean;
  org?: string;
  source: string;
  account?: string;
  scrubbedAt: string;
}

export function addScrubList(group: Command, context: CliContext): void {
  addImport(group, context);
  addList(group, context);
  leaf(group, 'remove', 'remove a list; campaigns that need it wait')
    .argument('<name>')
    .option(...orgOption)
    .action(async (name: string, options: { json?: boolean; org?: string }) => {
      await inOrganization(context, options, async (db, organizationId) => {
        const isRemoved = await inTransaction(db, async (tx) => {
          noteChange({ type: 'scrub_list', id: name, before: { name } });
          return removeScrubList(tx, { organizationId, name });
        });
        if (!isRemoved) throw new CliError('not_found', `there is no scrub list ${name}`);
      });
      say(context, options, { removed: name }, [`${name} removed`]);
    });
}

function addImport(group: Command, context: CliContext): void {
  numberingOptions(
    leaf(group, 'import', 'take the numbers of a CSV file (column phone) as the newest version of a list'),
  )
    .argument('<name>', 'such as us-national-dnc')
    .argument('<file>')
    .requiredOption('--source <text>', 'the registry or vendor of the list')
    .requiredOption('--scrubbed-at <instant>', 'when this version was obtained (ISO 8601)')
    .option('--account <text>', 'the account under which it was obtained')
    .option(...orgOption)
    .action(async (name: string, file: string, options: ImportOptions) => {
      const version = versionOf(name, options);
      const { isReadable, ...counts } = await inOrganization(context, options, async (db, organizationId) => {
        const faults: FileFault[] = [];
        const report = (fault: FileFault) => faults.push(fault);
        let [added, read] = [0, 0];
        const keep = async (phoneNumbers: readonly string[], isComplete: boolean) => {
          read += phoneNumbers.length;
          added += await addPart(db, { ...version, organizationId, phoneNumbers, isComplete });
        };
        // Each part is committed and takes effect at once, but a file that is cut short does not replace the previous version.
        for await (const rows of readSuppressionsCsv(openFile(context, file), {
          numbering: options,
          report,
          chunkLength,
        })) {
          await keep(
            rows.map((row) => row.phoneNumber),
            false,
          );
        }
        const isReadable = faults.length <= read;
        if (isReadable) await keep([], true);
        return { added, faults, isReadable };
      });
      say(context, options, counts, [
        ...counts.faults.map(skippedLine),
        `${counts.added} added, ${counts.faults.length} skipped`,
      ]);
      if (isReadable) return;
      throw new CliError(
        'scrub_list',
        'Most lines have no number that can be read, so the previous version stays in force. Say how numbers without + are written (--country, --numbers), and import the file again.',
      );
    });
}

interface Version {
  name: string;
  source: string;
  account: string | null;
  scrubbedAt: Date;
}

/** @throws UsageError that names the invalid option */
function versionOf(name: string, { source, account, scrubbedAt }: ImportOptions): Version {
  const parsed = importScrubListBody.safeParse({ name, source, account, scrubbed_at: scrubbedAt });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`${String(issue?.path[0] ?? 'list')}: ${issue?.message ?? ''}`);
  }
  return { name, source, account: account ?? null, scrubbedAt: parsed.data.scrubbed_at };
}

async function addPart(
  db: Db,
  part: Version & { organizationId: string; phoneNumbers: readonly string[]; isComplete: boolean },
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const fault = faultOfScrub(part.scrubbedAt, await engineNow(tx));
    if (fault !== null) throw new CliError('scrub_list', fault);
    const taken = await addToScrubList(tx, part);
    if ('newestAt' in taken) throw new CliError('scrub_list', faultOfOlder(taken.newestAt));
    const { source, account, scrubbedAt, isComplete } = part;
    const after = { source, account, scrubbed_at: scrubbedAt, added: taken.added, complete: isComplete };
    noteChange({ type: 'scrub_list', id: part.name, after });
    return taken.added;
  });
}

function addList(group: Command, context: CliContext): void {
  leaf(group, 'list', 'list scrub lists, with their expiry')
    .option(...orgOption)
    .action(async (options: { json?: boolean; org?: string }) => {
      const lists = await inOrganization(context, options, async (db, organizationId) => {
        const pages = readPages({
          rowsAtOnce: 1_000,
          read: (page) => listScrubLists(db, { organizationId, page }),
          position: byInstant,
        });
        const found: ScrubListRow[] = [];
        for await (const rows of pages) found.push(...rows);
        return found;
      });
      const shown = lists.map(({ name, source, account, scrubbed_at: at }) => ({
        name,
        source,
        account,
        scrubbed_at: at,
        good_until: at && scrubGoodUntil(at),
      }));
      say(
        context,
        options,
        { lists: shown },
        shown.map(({ name, source, good_until: until }) =>
          [name, source, until === null ? 'not complete' : `good until ${until.toISOString()}`].join('  '),
        ),
      );
    });
}
