import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { everyDay, span } from '../hours-table.ts';

const hours: CallingRule['hours'] = { week: everyDay(span(8, 21)), exceptions: [] };

export const elsewhere: CallingRule = {
  jurisdiction: 'XX',
  name: 'A country without its own rule',
  version: 1,
  hours,
  source: {
    basis: 'practice',
    citation: 'None: no rule is on file for this country',
    asOf: '2026-11-22',
    note: 'The hours that most rules have in common. An operator can replace them with a rule for the country.',
  },
};

/** Large markets in which a text with hours was looked for and not found: the country, and what was found instead. */
const withoutText: ReadonlyArray<readonly [country: string, name: string, found: string]> = [
  ['AR', 'Argentina', 'Ley 26.951 (No Llame) asks for reasonable hours and names none'],
  ['AT', 'Austria', 'TKG 2021 § 174 requires consent'],
  ['BD', 'Bangladesh', 'The rules of the BTRC concern messages'],
  ['BE', 'Belgium', 'Code of Economic Law, art. VI.110 to VI.115, provides for a register'],
  ['CN', 'China', 'The rules of the MIIT on commercial calls require consent'],
  ['CZ', 'Czechia', 'Act 127/2005, § 96, requires consent'],
  ['DK', 'Denmark', 'Forbrugeraftaleloven § 4 forbids most calls without a request'],
  ['EG', 'Egypt', 'The rules of the NTRA require the registration of numbers'],
  ['FI', 'Finland', 'The codes of the ASML that were read name no hours'],
  ['HU', 'Hungary', 'Act C of 2003, § 162, requires consent or a look-up'],
  ['IL', 'Israel', 'Consumer Protection Law, amendment 61, provides for a register'],
  ['KE', 'Kenya', 'The Data Protection Act 2019 requires consent'],
  ['MA', 'Morocco', 'Loi 09-08, art. 10, requires consent for automatic calls'],
  ['MY', 'Malaysia', 'The Personal Data Protection Act 2010 gives a right to object'],
  ['PH', 'Philippines', 'NTC Memorandum Circular 03-03-2005 concerns messages, from 07:00 to 21:00'],
  ['PK', 'Pakistan', 'The regulations of the PTA of 2009 provide for a register'],
  ['PL', 'Poland', 'Prawo komunikacji elektronicznej, art. 398, requires consent'],
  ['RO', 'Romania', 'Legea 506/2004, art. 12, requires consent for automatic calls'],
  ['SE', 'Sweden', 'The ethical rules of Kontakta and SWEDMA of 2021 were not found in full'],
  ['TR', 'Türkiye', 'The regulation on commercial electronic messages of 2015 requires consent'],
  ['TW', 'Taiwan', 'The Personal Data Protection Act, art. 20, gives a right to object'],
];

/** Of these, the ones whose text on consent to calls by a machine is known. */
const consentOf: Readonly<Record<string, string>> = {
  AT: 'TKG 2021 § 174(1)',
  BE: 'Code of Economic Law, art. VI.110 § 1',
  DK: 'Markedsføringsloven § 10(1)',
  HU: 'Act C of 2003, § 162(1)',
  PL: 'Prawo komunikacji elektronicznej, art. 398',
  RO: 'Legea 506/2004, art. 12(1)',
  SE: 'Marknadsföringslagen (2008:486) § 19',
};

export const countriesWithoutText: readonly CallingRule[] = withoutText.map(
  ([jurisdiction, name, found]) => ({
    jurisdiction,
    name,
    version: 1,
    hours,
    ...(consentOf[jurisdiction] !== undefined && {
      consent: { marketing: { bases: expressConsent, citation: consentOf[jurisdiction] } },
    }),
    source: {
      basis: 'practice',
      citation: `No text that names hours was found. ${found}`,
      asOf: '2026-11-27',
      note: elsewhere.source.note ?? '',
    },
  }),
);
