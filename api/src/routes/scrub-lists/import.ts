import {
  created,
  envelope,
  importScrubListBody,
  numberingOf,
  rolesFrom,
  scrubbedNumbersAtMost,
  scrubListImport,
} from '@outdial/contracts';
import { faultOfNumber, parsePhoneNumber, withPauses } from '@outdial/core';
import { addToScrubList, engineNow, noteChange } from '@outdial/db';
import { faultOfOlder, faultOfScrub, faultOfSmaller } from '@outdial/engine';
import { metaWithWarnings } from '../../http/answer-warnings.ts';
import { defineRoute } from '../../http/define-route.ts';
import { fieldFault, type ValidationError } from '../../http/errors.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import {
  bringsFile,
  hiddenWereRead,
  inOrder,
  isForm,
  readTable,
  tableUpload,
  withDigest,
} from '../../http/table-upload.ts';
import { scrubListView } from './scrub-list-view.ts';

const answer = envelope(scrubListImport);

export const importScrubList = defineRoute(
  {
    method: 'post',
    path: '/api/v1/scrub-lists/import',
    operationId: 'importScrubList',
    summary: 'Import a scrub list',
    description:
      'Imports the numbers of a do-not-call registry, from a form with a file or from JSON with `numbers`. A list with a new name is created. If a version has more than 10,000 numbers, send it in parts with the same `scrubbed_at`, all but the last with `complete: false`. ' +
      'Once this returns, no campaign that needs the list dials a number on it. The first line of a file names its columns; only phone (or phone_number, to, number) is read, and `meta.warnings` names the others.',
    tag: 'scrub lists',
    roles: rolesFrom('manager'),
    upload: tableUpload,
    body: importScrubListBody,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { body, bytes, organizationId } = request;
    const { numbers } = body;
    const isNotation = typeof numbers === 'string';
    if (isNotation && !isForm(request.req)) {
      throw fieldFault('numbers', 'Input should be a list of phone numbers, or come with a file in a form');
    }
    const numbering = numberingOf({ country: body.country, numbers: isNotation ? numbers : null });
    const read = bringsFile(request, 'numbers')
      ? await readTable(
          { bytes, organizationId },
          { fields: [], rowsAtMost: scrubbedNumbersAtMost, mapping: body.mapping, numbering },
          (fields, line) => ({ line, text: fields.get('phone_number') ?? '' }),
        )
      : {
          faults: [],
          notes: null,
          items: (isNotation ? [] : (numbers ?? [])).map((text, index) => ({ text, line: index + 1 })),
        };
    const phoneNumbers: string[] = [];
    const unread = [...read.faults];
    for await (const { text, line } of withPauses(read.items)) {
      const parsed = parsePhoneNumber(text, numbering);
      if (parsed.kind === 'invalid') unread.push({ line, reason: faultOfNumber(parsed) });
      else phoneNumbers.push(parsed.e164);
    }
    const refused = inOrder(unread);
    // A number that cannot be read is of somebody who would be called.
    const isUnread = body.complete ? refused.length > 0 : refused.length > phoneNumbers.length;
    if (isUnread) {
      throw unreadLines(refused, bringsFile(request, 'numbers') ? 'file' : 'numbers', phoneNumbers.length);
    }
    return once(deps, withDigest(request), answer, async (tx) => {
      const { name, source, scrubbed_at: scrubbedAt, complete: isComplete } = body;
      const account = body.account ?? null;
      const part = {
        organizationId,
        name,
        source,
        account,
        jurisdiction: body.jurisdiction,
        goodForDays: body.good_for_days,
        scrubbedAt,
        phoneNumbers,
        isComplete,
        isChecked: !body.force,
      };
      const taken = await addToScrubList(tx, part);
      if ('newestAt' in taken) throw fieldFault('scrubbed_at', faultOfOlder(taken.newestAt));
      if ('numbers' in taken) throw fieldFault('complete', faultOfSmaller(taken, 'send force: true'));
      const { added, list } = taken;
      const fault = faultOfScrub(scrubbedAt, list.good_for_days, await engineNow(tx));
      if (fault !== null) throw fieldFault('scrubbed_at', fault);
      const after = {
        source,
        account,
        scrubbed_at: scrubbedAt,
        added,
        refused: refused.length,
        complete: isComplete,
        ...(body.force && { force: true }),
      };
      noteChange({ type: 'scrub_list', id: name, after });
      const meta = metaWithWarnings({}, read.notes?.warnings(hiddenWereRead) ?? []);
      const known = phoneNumbers.length - added;
      const rows = phoneNumbers.length + refused.length;
      return { kept: created({ list: scrubListView(list), rows, added, known, refused }, meta) };
    });
  },
);

const linesNamed = 50;

function unreadLines(
  refused: ReadonlyArray<{ line: number; reason: string }>,
  field: 'file' | 'numbers',
  read: number,
): ValidationError {
  const named = refused.slice(0, linesNamed).map(({ line, reason }) => `line ${line} ${reason}`);
  const more = refused.length > linesNamed ? [`and ${refused.length - linesNamed} more`] : [];
  return fieldFault(
    field,
    `${refused.length} of ${refused.length + read} lines have no number that can be read, so nothing was imported: ${[...named, ...more].join('; ')}. Correct them, or send the list in parts (complete: false)`,
  );
}
