import type { Schemas } from '../data/api.ts';

/** A file as the service reads it: all columns, and the first rows. */
export type Sheet = NonNullable<Schemas['ImportedCampaign']['preview']> & {
  /** The number of rows in the file. */
  count: number;
};
