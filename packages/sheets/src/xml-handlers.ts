/** Callbacks while XML is read; names come without their prefix. */
export interface XmlHandlers {
  opentag: (name: string, attributes: Record<string, string>) => void;
  text: (text: string) => void;
  closetag: (name: string) => void;
}
