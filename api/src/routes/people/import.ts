import {
  importPersonNumbersBody,
  judgeLines,
  personNumberImport,
  personNumberItem,
  personNumbersAtMost,
} from '@outdial/contracts';
import { itemOfFields } from '@outdial/core';
import { addPersonNumbers, type PersonNumber } from '@outdial/db';
import { defineItemsImport } from '../../http/define-items-import.ts';

export const importPersonNumbers = defineItemsImport({
  path: '/api/v1/people/import',
  operationId: 'importPersonNumbers',
  summary: 'Say which numbers belong to one person',
  description:
    'Accepts a form with a file, or JSON with `items`. The first line of a file names its columns: phone (or phone_number, to, number) and person_ref, which is your id of the person. ' +
    'If one number of a person is suppressed, by an opt-out too, all of them are, also those that are added later; removing one from the suppression list leaves the others there. A number belongs to one person at a time. Invalid rows are skipped and listed in `refused`; the others are added, all or none.',
  tag: 'people',
  body: importPersonNumbersBody,
  answer: personNumberImport,
  rowsAtMost: personNumbersAtMost,
  fields: ['person_ref'],
  itemOf: itemOfFields,
  type: 'person',
  async add(tx, lines, { organizationId, numbering }) {
    const read = { schema: personNumberItem, numbering };
    const { accepted: numbers, refused } = await judgeLines(lines, read, (item): PersonNumber => {
      return { phoneNumber: item.phone_number, personRef: item.person_ref };
    });
    const added = await addPersonNumbers(tx, { organizationId, numbers });
    return { added, known: numbers.length - added, refused };
  },
});
