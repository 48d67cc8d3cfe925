/** The words of a text, with their punctuation. */
export const splitWords = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
