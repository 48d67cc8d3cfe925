import type { Attack } from '../attack.ts';
import { endlessPaths } from './endless-paths.ts';
import { heavyObjects } from './heavy-objects.ts';
import { inflatedBody } from './inflated-body.ts';
import { repeatedWord } from './repeated-word.ts';
import { slowReaders } from './slow-readers.ts';

/** Every attack that was seen to work once. */
export const attacks: readonly Attack[] = [
  inflatedBody,
  repeatedWord,
  slowReaders,
  heavyObjects,
  endlessPaths,
];
