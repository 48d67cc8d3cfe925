import type { Attack } from '../attack.ts';
import { unsignedEvents } from './unsigned-events.ts';
import { pipelinedRequests } from './pipelined-requests.ts';
import { endlessPaths } from './endless-paths.ts';
import { heavyLists } from './heavy-lists.ts';
import { inflatedBody } from './inflated-body.ts';
import { repeatedWord } from './repeated-word.ts';
import { slowReaders } from './slow-readers.ts';
import { blankDocuments } from './blank-documents.ts';
import { greedyLines } from './greedy-lines.ts';
import { hugeCancel } from './huge-cancel.ts';
import { largeExports } from './large-exports.ts';
import { manyPlaces } from './many-places.ts';
import { onePhrase } from './one-phrase.ts';
import { otherAddresses } from './other-addresses.ts';
import { readableLogs } from './readable-logs.ts';

/** Each of these attacks once succeeded. */
export const attacks: readonly Attack[] = [
  inflatedBody,
  repeatedWord,
  slowReaders,
  heavyLists,
  endlessPaths,
  blankDocuments,
  greedyLines,
  otherAddresses,
  pipelinedRequests,
  unsignedEvents,
  readableLogs,
  onePhrase,
  manyPlaces,
  hugeCancel,
  largeExports,
];
