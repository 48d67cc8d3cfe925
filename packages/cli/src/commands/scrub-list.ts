import { importScrubListBody, ListNotes } from '@outdial/contracts';
import { scrubGoodUntil } from '@outdial/core';
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
  type ScrubPart,
} from '@outdial/db';
import { faultOfOlder, faultOfScrub, faultOfSmaller } from '@outdial/engine';
import type { Command } from 'commander';
import { CliError, type FileFault, UsageError } from '../cli-error.ts';
import type { CliContext } from '../cli-context.ts';
import { sayNotes } from '../csv/read-rows.ts';
import { readSuppressionsCsv } from '../csv/suppressions-csv.ts';
import { inOrganization } from '../in-organization.ts';
import { openFile } from '../open-file.ts';
import { leaf, listOptions, type ListOptions, orgOption } from '../options.ts';
import { say } from '../output.ts';

const chunkLength = 10_000;

interface ImportOptions extends ListOptions {
  json?: boolean;
  org?: string;
  source: string;
  account?: string;
  jurisdiction?: string;
  force?: boolean;
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
  listOptions(
    leaf(group, 'import', 'take the numbers of a CSV file (column phone) as the newest version of a list'),
  )
    .argument('<name>', 'such as us-national-dnc')
    .argument('<file>')
    .requiredOption('--source <text>', 'the registry or vendor of the list')
    .requiredOption('--scrubbed-at <instant>', 'when this version was obtained (ISO 8601)')
    .option('--account <text>', 'the account under which it was obtained')
    .option(
      '--jurisdiction <code>',
      'the country or state of the registry (GB, US-FL), whose law says how old it may be',
    )
    .option('--force', 'take a version that is empty, or has less than half of the numbers of the one before')
    .option(...orgOption)
    .action(async (name: string, file: string, options: ImportOptions) => {
      const version = versionOf(name, options);
      const notes = new ListNotes();
      const chunksOf = (report: (fault: FileFault) => void, of = new ListNotes()) =>
        readSuppressionsCsv(openFile(context, file), { options, fields: [], report, notes: of, chunkLength });
      const rows = await requireReadable(chunksOf, file);
      const added = await inOrganization(context, options, async (db, organizationId) => {
        let sum = 0;
        const keep = async (phoneNumbers: readonly string[], isComplete: boolean) => {
          const isChecked = options.force !== true;
          sum += await addPart(db, { ...version, organizationId, phoneNumbers, isComplete, isChecked });
        };
        // Each part is committed and takes effect at once, but only a whole file replaces the previous version.
        for await (const chunk of chunksOf(() => undefined, notes)) {
          await keep(
            chunk.map((row) => row.phoneNumber),
            false,
          );
        }
        await keep([], true);
        return sum;
      });
      const warnings = sayNotes(notes);
      say(context, options, { rows, added, known: rows - added, faults: [], warnings }, [
        ...warnings.map((warning) => `warning: ${warning}`),
        `${added} added, ${rows - added} known before or repeated`,
      ]);
    });
}

/** A number that cannot be read is of somebody who would be called, so a list is taken as a whole or not at all. Returns the number of rows. */
async function requireReadable(
  chunksOf: (report: (fault: FileFault) => void) => ReturnType<typeof readSuppressionsCsv>,
  file: string,
): Promise<number> {
  const faults: FileFault[] = [];
  let rows = 0;
  for await (const chunk of chunksOf((fault) => void faults.push(fault))) rows += chunk.length;
  if (faults.length === 0) return rows;
  const of = `${faults.length} of ${rows + faults.length} rows of ${file}`;
  throw new CliError(
    'scrub_list',
    `${of} have no number that can be read, so nothing was imported, and the previous version stays in force. Correct them, or say how numbers without + are written (--country, --numbers)`,
    faults.toSorted((one, other) => one.line - other.line),
  );
}

interface Version {
  name: string;
  source: string;
  account: string | null;
  jurisdiction: string | undefined;
  scrubbedAt: Date;
}

/** @throws UsageError that names the invalid option */
function versionOf(name: string, { source, account, jurisdiction, scrubbedAt }: ImportOptions): Version {
  const parsed = importScrubListBody.safeParse({
    name,
    source,
    account,
    jurisdiction,
    scrubbed_at: scrubbedAt,
    complete: true,
  });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`${String(issue?.path[0] ?? 'list')}: ${issue?.message ?? ''}`);
  }
  return { name, source, account: account ?? null, jurisdiction, scrubbedAt: parsed.data.scrubbed_at };
}

async function addPart(db: Db, part: ScrubPart): Promise<number> {
  return inTransaction(db, async (tx) => {
    const taken = await addToScrubList(tx, part);
    if ('newestAt' in taken) throw new CliError('scrub_list', faultOfOlder(taken.newestAt));
    if ('numbers' in taken) throw new CliError('scrub_list', faultOfSmaller(taken, 'add --force'));
    const fault = faultOfScrub(part.scrubbedAt, taken.list.good_for_days, await engineNow(tx));
    if (fault !== null) throw new CliError('scrub_list', fault);
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
      const shown = lists.map(
        ({ name, source, account, jurisdiction, scrubbed_at: at, good_for_days: days }) => ({
          name,
          source,
          account,
          jurisdiction,
          scrubbed_at: at,
          good_until: at && scrubGoodUntil(at, days),
        }),
      );
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
