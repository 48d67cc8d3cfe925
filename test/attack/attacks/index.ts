import type { Attack } from '../attack.ts';
import { lateBodies } from './late-bodies.ts';
import { unsignedEvents } from './unsigned-events.ts';
import { healthPorts } from './health-ports.ts';
import { pipelinedRequests } from './pipelined-requests.ts';
import { endlessPaths } from './endless-paths.ts';
import { heavyLists } from './heavy-lists.ts';
import { inflatedBody } from './inflated-body.ts';
import { repeatedWord } from './repeated-word.ts';
import { slowReaders } from './slow-readers.ts';
import { blankDocuments } from './blank-documents.ts';
import { blankLines } from './blank-lines.ts';
import { documentBox } from './document-box.ts';
import { greedyLines } from './greedy-lines.ts';
import { hugeCancel } from './huge-cancel.ts';
import { largeExports } from './large-exports.ts';
import { manyCampaigns } from './many-campaigns.ts';
import { manyPlaces } from './many-places.ts';
import { onePhrase } from './one-phrase.ts';
import { otherAddresses } from './other-addresses.ts';
import { readableLogs } from './readable-logs.ts';
import { silentExports } from './silent-exports.ts';
import { keptSession } from './kept-session.ts';
import { keptSecrets } from './kept-secrets.ts';
import { embeddedAddresses } from './embedded-addresses.ts';
import { poisonedCampaign } from './poisoned-campaign.ts';
import { carrierPrograms } from './carrier-programs.ts';
import { inventedNumbers } from './invented-numbers.ts';
import { loneAssistant } from './lone-assistant.ts';
import { othersCallerIds } from './others-caller-ids.ts';

/** Each of these attacks once succeeded. */
export const attacks: readonly Attack[] = [
  inflatedBody,
  repeatedWord,
  slowReaders,
  heavyLists,
  endlessPaths,
  blankDocuments,
  blankLines,
  greedyLines,
  documentBox,
  otherAddresses,
  poisonedCampaign,
  pipelinedRequests,
  healthPorts,
  lateBodies,
  unsignedEvents,
  readableLogs,
  keptSession,
  keptSecrets,
  embeddedAddresses,
  silentExports,
  onePhrase,
  manyCampaigns,
  manyPlaces,
  hugeCancel,
  largeExports,
  carrierPrograms,
  inventedNumbers,
  othersCallerIds,
  loneAssistant,
];
