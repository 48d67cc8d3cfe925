export type Purpose = 'marketing' | 'service' | 'debt_collection';
/** An express consent, one in writing, or one that nobody can give. */
export type Asked = 'express' | 'written' | 'impossible';

/**
 * Calling hours, transcribed from the sources that `packages/core/src/compliance/rules` cites, in another format: hours as text by day of the week,
 * holidays as dates. Shares no code with the rules that it checks.
 */
export interface TextRule {
  /** Monday to Friday, Saturday, Sunday: spans such as `09:00-20:00`, several by a comma, or `-`. */
  weekdays: string;
  saturday: string;
  sunday: string;
  /** Days without calls, as yyyy-MM-dd, from October 2026 to the beginning of April 2027. */
  closed?: string;
  /** Calls to one person, such as `4/720h`: at most four in any 720 hours; several by a blank. */
  caps?: string;
  /** The consent to calls by a machine that each purpose needs. */
  consent?: Partial<Record<Purpose, Asked>>;
  /** For how many days a version of a do-not-call list may be used; 31 if the text says nothing. */
  listDays?: number;
  /** Times without calls, as epoch milliseconds. */
  emergencies?: Array<{ from: number; to: number }>;
  /** Days on which calls begin later. */
  from?: { days: string; time: string };
  /** Days on which calls end earlier. */
  until?: { days: string; time: string };
}

export const holidaysFrom = '2026-10-01';
export const holidaysTo = '2027-04-05';

/** Advertising by machines only to people who agreed before: Directive 2002/58/EC, article 13(1), and similar laws elsewhere. */
const optIn: TextRule['consent'] = { marketing: 'express' };
const inWriting: TextRule['consent'] = { marketing: 'written' };

const same = (spans: string): TextRule => ({ weekdays: spans, saturday: spans, sunday: spans });
const federal = '2026-10-12 2026-11-11 2026-11-26 2026-12-25 2027-01-01 2027-01-18 2027-02-15';
const russianHolidays = `2026-11-04 ${consecutive('2027-01-01', 8)} 2027-02-23 2027-03-08`;
const noSundays = (spans: string, closed?: string): TextRule => ({
  weekdays: spans,
  saturday: spans,
  sunday: '-',
  ...(closed !== undefined && { closed }),
});

export const texts: Readonly<Record<string, TextRule>> = {
  US: {
    ...same('08:00-21:00'),
    consent: { marketing: 'written', service: 'express', debt_collection: 'express' },
  },
  'US-AL': noSundays('08:00-20:00', `${federal} 2027-02-09`),
  'US-CA': same('09:00-21:00'),
  'US-CT': same('09:00-20:00'),
  'US-FL': { ...same('08:00-20:00'), caps: '3/24h' },
  'US-IL': same('09:00-21:00'),
  'US-IN': same('09:00-20:00'),
  'US-KY': same('10:00-21:00'),
  'US-LA': noSundays('08:00-20:00', `${federal} 2026-11-27 2027-01-08 2027-02-09 2027-03-26`),
  'US-MA': same('08:00-20:00'),
  'US-MD': { ...same('08:00-20:00'), caps: '3/24h' },
  'US-ME': { weekdays: '09:00-17:00', saturday: '-', sunday: '-', caps: '1/8h' },
  'US-MI': same('09:00-21:00'),
  'US-MN': same('09:00-21:00'),
  'US-MS': noSundays('08:00-20:00', federal),
  'US-NE': {
    ...same('08:00-21:00'),
    sunday: '13:00-21:00',
    from: { days: `${federal} 2026-11-27`, time: '13:00' },
  },
  'US-NM': same('09:00-21:00'),
  'US-NV': same('09:00-20:00'),
  'US-OK': { ...same('08:00-20:00'), caps: '3/24h' },
  'US-OR': { ...same('08:00-20:00'), caps: '3/24h' },
  'US-PA': { ...same('08:00-21:00'), closed: `${federal} 2026-11-03 2027-03-26` },
  'US-RI': { weekdays: '09:00-18:00', saturday: '10:00-17:00', sunday: '-', closed: `${federal} 2026-11-03` },
  'US-SC': same('08:00-19:00'),
  'US-SD': noSundays('09:00-21:00'),
  'US-TX': { weekdays: '09:00-21:00', saturday: '09:00-21:00', sunday: '12:00-21:00' },
  'US-UT': noSundays('08:00-21:00', `${federal} 2027-03-26`),
  'US-WA': same('08:00-20:00'),
  'US-WY': same('08:00-20:00'),
  CA: { consent: optIn, weekdays: '09:00-21:30', saturday: '10:00-18:00', sunday: '10:00-18:00' },
  GB: {
    listDays: 28,
    consent: optIn,
    weekdays: '08:00-21:00',
    saturday: '09:00-17:00',
    sunday: '-',
    closed: '2026-12-25 2026-12-26 2026-12-28 2027-01-01 2027-03-26 2027-03-29',
  },
  IE: {
    ...noSundays(
      '09:00-21:00',
      '2026-10-26 2026-12-25 2026-12-26 2027-01-01 2027-02-01 2027-03-17 2027-03-26 2027-03-29',
    ),
    consent: optIn,
  },
  DE: {
    consent: optIn,
    weekdays: '08:00-20:00',
    saturday: '09:00-18:00',
    sunday: '-',
    closed:
      '2026-10-03 2026-10-31 2026-11-18 2026-12-25 2026-12-26 2027-01-01 2027-01-06 2027-03-08 2027-03-26 2027-03-29',
  },
  FR: {
    listDays: 30,
    consent: optIn,
    caps: '4/720h',
    weekdays: '10:00-13:00,14:00-20:00',
    saturday: '-',
    sunday: '-',
    closed: '2026-11-11 2026-12-25 2027-01-01 2027-03-26 2027-03-29',
  },
  ES: {
    consent: optIn,
    weekdays: '09:00-21:00',
    saturday: '-',
    sunday: '-',
    closed: '2026-10-12 2026-12-08 2026-12-25 2027-01-01 2027-01-06 2027-03-25 2027-03-26',
  },
  IT: {
    listDays: 15,
    consent: optIn,
    weekdays: '09:00-20:00',
    saturday: '10:00-19:00',
    sunday: '-',
    closed: '2026-12-08 2026-12-25 2026-12-26 2027-01-01 2027-01-06 2027-03-29',
  },
  NL: {
    consent: optIn,
    weekdays: '09:00-21:00',
    saturday: '10:00-16:00',
    sunday: '-',
    closed: '2026-12-25 2026-12-26 2027-01-01 2027-03-26 2027-03-29',
    until: { days: '2026-12-05 2026-12-24', time: '18:30' },
  },
  AU: {
    listDays: 30,
    consent: optIn,
    weekdays: '09:00-20:00',
    saturday: '09:00-17:00',
    sunday: '-',
    closed: '2026-12-25 2026-12-26 2026-12-28 2027-01-01 2027-01-26 2027-03-26 2027-03-29',
  },
  IN: { consent: optIn, ...same('09:00-21:00') },
  BR: {
    consent: optIn,
    weekdays: '09:00-21:00',
    saturday: '10:00-16:00',
    sunday: '-',
    closed: '2026-10-12 2026-11-02 2026-11-20 2026-12-25 2027-01-01 2027-02-08 2027-02-09 2027-03-26',
  },
  MX: {
    consent: optIn,
    weekdays: '09:00-20:00',
    saturday: '-',
    sunday: '-',
    closed: '2026-11-16 2026-12-25 2027-01-01 2027-02-01 2027-03-15',
  },
  JP: same('09:00-20:00'),
  NO: {
    consent: optIn,
    weekdays: '09:00-21:00',
    saturday: '-',
    sunday: '-',
    closed: '2026-12-25 2026-12-26 2027-01-01 2027-03-25 2027-03-26 2027-03-29',
  },
  PT: { ...same('09:00-21:00'), consent: optIn },
  ZA: {
    consent: optIn,
    weekdays: '08:00-20:00',
    saturday: '09:00-13:00',
    sunday: '-',
    closed: '2026-12-16 2026-12-25 2026-12-26 2027-01-01 2027-03-22 2027-03-26 2027-03-29',
  },
  AE: { consent: optIn, ...same('09:00-18:00'), caps: '2/24h 3/168h' },
  CO: {
    consent: optIn,
    caps: '2/24h',
    weekdays: '07:00-19:00',
    saturday: '08:00-15:00',
    sunday: '-',
    closed:
      '2026-10-12 2026-11-02 2026-11-16 2026-12-08 2026-12-25 2027-01-01 2027-01-11 2027-03-22 2027-03-25 2027-03-26',
  },
  PE: {
    consent: optIn,
    weekdays: '08:00-20:00',
    saturday: '-',
    sunday: '-',
    closed: '2026-10-08 2026-12-08 2026-12-09 2026-12-25 2027-01-01 2027-03-25 2027-03-26',
  },
  VN: { consent: optIn, ...same('08:00-17:00'), caps: '1/24h' },
  // Ramadan of 1448.
  SA: {
    consent: optIn,
    ...same('09:00-21:00'),
    from: { days: consecutive('2027-02-08', 29), time: '12:00' },
  },
  ID: {
    consent: optIn,
    ...noSundays(
      '08:00-18:00',
      '2026-12-25 2027-01-01 2027-01-05 2027-02-06 2027-02-07 2027-03-09 2027-03-10 2027-03-11 2027-03-26 2027-03-28',
    ),
  },
  TH: {
    weekdays: '08:00-20:00',
    saturday: '08:00-18:00',
    sunday: '08:00-18:00',
    until: { days: '2026-10-13 2026-10-23 2026-12-10 2026-12-31 2027-01-01', time: '18:00' },
  },
  CL: noSundays(
    '08:00-20:00',
    '2026-10-12 2026-10-30 2026-10-31 2026-12-08 2026-12-25 2027-01-01 2027-03-26 2027-03-27',
  ),
  EC: {
    weekdays: '08:00-20:00',
    saturday: '-',
    sunday: '-',
    closed: '2026-10-09 2026-11-02 2026-11-03 2026-12-25 2027-01-01 2027-02-08 2027-02-09 2027-03-26',
  },
  HK: { consent: optIn, ...same('09:00-21:00'), caps: '3/168h' },
  NZ: noSundays(
    '08:00-21:00',
    '2026-10-26 2026-12-25 2026-12-26 2026-12-28 2027-01-01 2027-01-02 2027-01-04 2027-02-06 2027-02-08 2027-03-26 2027-03-29',
  ),
  CH: {
    consent: optIn,
    weekdays: '08:00-20:00',
    saturday: '09:00-16:00',
    sunday: '-',
    closed: '2026-12-08 2026-12-25 2026-12-26 2027-01-01 2027-01-02 2027-03-26 2027-03-29',
  },
  SG: {
    listDays: 21,
    consent: optIn,
    weekdays: '08:00-21:00',
    saturday: '09:00-18:00',
    sunday: '-',
    closed:
      '2026-12-25 2027-01-01 2027-02-06 2027-02-07 2027-02-08 2027-02-09 2027-03-09 2027-03-10 2027-03-26',
  },
  RU: {
    // A device that dials without a person may not advertise: 38-FZ, article 18(2).
    consent: { marketing: 'impossible' },
    weekdays: '08:00-21:00',
    saturday: '09:00-20:00',
    sunday: '09:00-20:00',
    from: { days: russianHolidays, time: '09:00' },
    until: { days: russianHolidays, time: '20:00' },
  },
  UA: {
    consent: inWriting,
    weekdays: '09:00-20:00',
    saturday: '-',
    sunday: '-',
    closed: '2026-10-01 2026-12-25 2027-01-01 2027-03-08',
  },
  KR: { ...same('08:00-21:00'), consent: optIn },
  NG: { consent: optIn, ...same('08:00-20:00') },
  GR: {
    consent: optIn,
    weekdays: '09:00-20:00',
    saturday: '-',
    sunday: '-',
    closed: '2026-10-28 2026-12-25 2027-01-01 2027-01-06 2027-03-15 2027-03-25',
  },
  // No hours were found for these.
  ...withoutHours('BD PH TW', {}),
  ...withoutHours(
    'AR AT BE BG CN CY CZ DK EE EG FI HR HU IS KE LI LT LU LV MA MT MY PK PL RO SE SI SK TR',
    optIn,
  ),
  ...withoutHours('IL', inWriting),
  elsewhere: same('08:00-21:00'),
};

function withoutHours(countries: string, consent: TextRule['consent'] & {}): Record<string, TextRule> {
  return Object.fromEntries(
    countries.split(' ').map((country) => [country, { ...same('08:00-21:00'), consent }]),
  );
}

function consecutive(first: string, count: number): string {
  return Array.from({ length: count }, (_, n) =>
    new Date(Date.parse(first) + n * 86_400_000).toISOString().slice(0, 10),
  ).join(' ');
}
