import { itemOfFields } from '@outdial/core';
import { addNumberChanges, noteChange } from '@outdial/db';
import { judgeNumberChanges, numberChangeFields } from '@outdial/engine';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { addLinesImport } from '../csv/import-lines.ts';

/** Numbers that were ported or reassigned. A file that is imported again adds nothing. */
export function addNumberChangeImport(consent: Command, context: CliContext): void {
  addLinesImport(consent, context, {
    name: 'number-changes',
    description:
      'end the consents that were given before a number was ported or reassigned, by a CSV file (columns phone, kind, changed_at and source)',
    fields: numberChangeFields,
    itemOf: itemOfFields,
    async keep(tx, lines, { organizationId, now, numbering }) {
      const { accepted: changes, refused } = await judgeNumberChanges(lines, now, numbering);
      const added = await addNumberChanges(tx, { organizationId, createdBy: null, changes });
      noteChange({ type: 'number_change', id: 'import', after: { added } });
      return { added, refused };
    },
  });
}
