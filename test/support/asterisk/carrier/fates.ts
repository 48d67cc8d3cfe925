/** How the carrier handles a call, by the last two digits of its number. Any other number answers, talks, and hangs up. */
export const fates = {
  /** Answers, talks, and never hangs up. Our agent ends the call. */
  '80': 'we_hang_up',
  /** Answers, presses 4 and 2, talks, and hangs up. */
  '81': 'presses_keys',
  /** Rings until it is canceled. */
  '86': 'rings_for_ever',
  /** The network plays the ringing itself (183), and gives up (480). */
  '87': 'early_media',
  /** Never answers the INVITE. */
  '89': 'dead',
  /** Answers, and hangs up before it says anything. */
  '90': 'hangs_up_early',
  '91': 'busy',
  /** Rings, and the carrier gives up (480). */
  '92': 'rings_out',
  '93': 'declines',
  '94': 'machine',
  '95': 'congestion',
  '96': 'unknown_number',
  /** Busy for the first call of the run, then answers. */
  '97': 'busy_once',
  /** Is busy, and lets all others go who talk until then. */
  '98': 'releases',
  /** Answers, and never hangs up. */
  '99': 'never_ends',
} as const;

/** The end of a call as the carrier saw it. */
export type CarrierEnd =
  | 'busy'
  | 'rang_out'
  | 'declined'
  | 'congestion'
  | 'unknown_number'
  | 'canceled'
  | 'hung_up_by_carrier'
  | 'hung_up_by_us';
