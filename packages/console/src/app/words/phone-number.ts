/**
 * A phone number without what people write between its digits. A text that ends like `3920012-13` stays as it is, and is refused: it may be two
 * numbers, as a decimal may be (`491713920012.0`).
 */
export function plainNumber(text: string): string {
  return /\d{5,}\s*[-.]\s*\d{1,2}\s*$/.test(text) ? text.trim() : text.replaceAll(/[\s().-]/g, '');
}

/** Whether it is in E.164, the form in which the service takes numbers. */
export function isPhoneNumber(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}
