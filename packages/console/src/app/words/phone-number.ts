/** A phone number without what people write between its digits. */
export function plainNumber(text: string): string {
  return text.replaceAll(/[\s().-]/g, '');
}

/** Whether it is in E.164, the form in which the service takes numbers. */
export function isPhoneNumber(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}
