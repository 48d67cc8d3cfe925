/** Why a file gave no text. The code never changes; the message appears in the item's `error` for the owner of the file. */
export interface ExtractionFailure {
  code: ExtractionFailureCode;
  message: string;
}

export type ExtractionFailureCode =
  | 'empty_file'
  | 'encrypted'
  | 'no_text'
  | 'unmapped_fonts'
  | 'xfa_form'
  | 'portfolio'
  | 'truncated'
  | 'damaged'
  | 'ambiguous_type'
  | 'not_text'
  | 'too_many_pages'
  | 'too_much_text'
  | 'time_limit'
  | 'memory_limit'
  | 'crashed'
  | 'file_missing'
  | 'not_storable'
  | 'interrupted';
