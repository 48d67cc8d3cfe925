import { expect, test } from 'vitest';
import { placeFieldOf } from './place-names.ts';

test.each([
  [
    'timezone',
    'timezone|Time Zone|time_zone|timeZone|TIME-ZONE|tz|Local time zone|tz name|zone|IANA time zone|Timezone (IANA)|UTC offset|tz_offset|Zeitzone|Fuseau horaire|Zona horaria',
  ],
  [
    'region',
    'region|Region|Región|State|ST|State Abbr|State Abbreviation|Mailing State/Province|State / Prov|Prov.|state_code|Province|Provincia|Kanton|Territory|country|País|Land|homeState',
  ],
  [
    'postal_code',
    'postal_code|postalCode|ZIP|Zip Code|zipcode|Post code|PLZ|billing ZIP|Code postal|Código Postal|Zip+4|zip_5|PLZ Ort',
  ],
  [
    undefined,
    'status|name|Real estate|zone manager|Country code|state of the order|delivery zone|Main St|Statement|City|',
  ],
])('%s is what was meant by %s', (field, listed) => {
  const names = listed.split('|');
  expect(names.map((name) => [name, placeFieldOf(name)])).toEqual(names.map((name) => [name, field]));
});
