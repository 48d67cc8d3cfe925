/** The words of a column's name, in lower case and without accents: `homeTel`, `Home Tél.` and `home_tel` are `home` and `tel`. */
export function wordsOfName(name: string): string[] {
  const words = name
    .slice(0, 64)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFC')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return words ?? [];
}
