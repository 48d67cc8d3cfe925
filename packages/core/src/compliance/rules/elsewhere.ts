import type { CallingRule } from '../calling-rule.ts';
import { expressConsent, writtenConsent } from '../consent.ts';
import { everyDay, span } from '../hours-table.ts';

const hours: CallingRule['hours'] = { week: everyDay(span(8, 21)), exceptions: [] };

export const elsewhere: CallingRule = {
  jurisdiction: 'XX',
  name: 'A country without its own rule',
  version: 2,
  hours,
  consent: { asOf: null, none: 'No text was looked for: no rule is on file for this country' },
  source: {
    basis: 'practice',
    citation: 'None: no rule is on file for this country',
    asOf: '2026-11-22',
    note: 'The hours that most rules have in common. An operator can replace them with a rule for the country.',
  },
};

const optInOfTheUnion =
  'Directive 2002/58/EC, art. 13(1), on calling machines, as every member of the EEA transposes it';
/** Read in the Directive, and not in the law of the country. */
const ofTheUnion = ['No text with hours was looked for', optInOfTheUnion] as const;
/** Countries without a text with hours: what was found instead of one, and the text on consent to advertising by a machine. */
const withoutHours: ReadonlyArray<
  readonly [
    country: string,
    name: string,
    found: string,
    consent: string | { none: string },
    kind?: 'written',
  ]
> = [
  [
    'AR',
    'Argentina',
    'Ley 26.951 (No Llame) asks for reasonable hours and names none',
    'Ley 26.951, art. 7 and 8: a consent, or a number that is not on the register',
  ],
  ['AT', 'Austria', 'TKG 2021 § 174 requires consent', 'TKG 2021 § 174(1)'],
  [
    'BD',
    'Bangladesh',
    'The rules of the BTRC concern messages',
    { none: 'No text that asks for consent was found' },
  ],
  [
    'BE',
    'Belgium',
    'Code of Economic Law, art. VI.110 to VI.115, provides for a register',
    'Code of Economic Law, art. VI.110 § 1',
  ],
  ['BG', 'Bulgaria', ...ofTheUnion],
  [
    'CN',
    'China',
    'The rules of the MIIT on commercial calls require consent',
    'Regulations for the Implementation of the Law on the Protection of Consumer Rights and Interests (2024), art. 24; Advertising Law, art. 43',
  ],
  ['CY', 'Cyprus', ...ofTheUnion],
  ['CZ', 'Czechia', 'Act 127/2005, § 96, requires consent', 'Act 127/2005, § 96'],
  [
    'DK',
    'Denmark',
    'Forbrugeraftaleloven § 4 forbids most calls without a request',
    'Markedsføringsloven § 10(1)',
  ],
  ['EE', 'Estonia', ...ofTheUnion],
  [
    'EG',
    'Egypt',
    'The rules of the NTRA require the registration of numbers',
    'Personal Data Protection Law 151 of 2020, art. 17',
  ],
  [
    'FI',
    'Finland',
    'The codes of the ASML that were read name no hours',
    'Act on Electronic Communications Services (917/2014), § 200(1)',
  ],
  ['HR', 'Croatia', ...ofTheUnion],
  ['HU', 'Hungary', 'Act C of 2003, § 162, requires consent or a look-up', 'Act C of 2003, § 162(1)'],
  [
    'IL',
    'Israel',
    'Consumer Protection Law, amendment 61, provides for a register',
    'Communications Law (Telecommunications and Broadcasting) 1982, s. 30A, on automatic dialing systems',
    'written',
  ],
  ['IS', 'Iceland', ...ofTheUnion],
  ['KE', 'Kenya', 'The Data Protection Act 2019 requires consent', 'Data Protection Act 2019, s. 37(1)'],
  ['LI', 'Liechtenstein', ...ofTheUnion],
  ['LT', 'Lithuania', ...ofTheUnion],
  ['LU', 'Luxembourg', ...ofTheUnion],
  ['LV', 'Latvia', ...ofTheUnion],
  ['MA', 'Morocco', 'Loi 09-08, art. 10, requires consent for automatic calls', 'Loi 09-08, art. 10'],
  ['MT', 'Malta', ...ofTheUnion],
  [
    'MY',
    'Malaysia',
    'The Personal Data Protection Act 2010 gives a right to object',
    'Personal Data Protection Act 2010, s. 6(1)',
  ],
  [
    'PH',
    'Philippines',
    'NTC Memorandum Circular 03-03-2005 concerns messages, from 07:00 to 21:00',
    {
      none: 'No text that asks for consent to calls was found: the Data Privacy Act of 2012, s. 12, allows other grounds',
    },
  ],
  [
    'PK',
    'Pakistan',
    'The regulations of the PTA of 2009 provide for a register',
    'PTA, Protection from Spam, Unsolicited, Fraudulent and Obnoxious Communication Regulations 2009: a consent, or a number that is not on the register',
  ],
  [
    'PL',
    'Poland',
    'Prawo komunikacji elektronicznej, art. 398, requires consent',
    'Prawo komunikacji elektronicznej, art. 398',
  ],
  [
    'RO',
    'Romania',
    'Legea 506/2004, art. 12, requires consent for automatic calls',
    'Legea 506/2004, art. 12(1)',
  ],
  [
    'SE',
    'Sweden',
    'The ethical rules of Kontakta and SWEDMA of 2021 were not found in full',
    'Marknadsföringslagen (2008:486) § 19',
  ],
  ['SI', 'Slovenia', ...ofTheUnion],
  ['SK', 'Slovakia', ...ofTheUnion],
  [
    'TR',
    'Türkiye',
    'The regulation on commercial electronic messages of 2015 requires consent',
    'Law 6563 on electronic commerce, art. 6(1)',
  ],
  [
    'TW',
    'Taiwan',
    'The Personal Data Protection Act, art. 20, gives a right to object',
    {
      none: 'No text that asks for consent to calls was found: the Personal Data Protection Act, art. 19 and 20, allows other grounds, and gives a right to object',
    },
  ],
];

export const countriesWithoutHours: readonly CallingRule[] = withoutHours.map(
  ([jurisdiction, name, found, consent, kind]) => ({
    jurisdiction,
    name,
    version: 2,
    hours,
    consent: {
      asOf: null,
      ...(typeof consent === 'string'
        ? { marketing: { bases: kind === 'written' ? writtenConsent : expressConsent, citation: consent } }
        : consent),
    },
    source: {
      basis: 'practice',
      citation: found === ofTheUnion[0] ? found : `No text that names hours was found. ${found}`,
      asOf: '2026-11-27',
      note: elsewhere.source.note ?? '',
    },
  }),
);
