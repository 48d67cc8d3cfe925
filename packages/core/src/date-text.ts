const time = String.raw`(?:[T\s]+\d\d?:\d\d.*)?$`;
const yearFirst = new RegExp(String.raw`^(?:19|20)\d\d([-./])(\d\d?)\1(\d\d?)${time}`);
const yearLast = new RegExp(String.raw`^(\d\d?)([-./])(\d\d?)\2(?:19|20)\d\d${time}`);

/** Whether a text is a date in digits: `1980-05-12`, `12.5.1980`, `5/12/1980`, perhaps with a time. */
export function isDateText(text: string): boolean {
  const [, , month = '', day = ''] = yearFirst.exec(text) ?? [];
  const [, first = month, , second = day] = yearLast.exec(text) ?? [];
  const [low = 0, high = 0] = [Number(first), Number(second)].toSorted((one, other) => one - other);
  return low >= 1 && low <= 12 && high <= 31;
}
