/** What is told of XML while it is read; names are without their prefix. */
export interface XmlHandlers {
  opentag: (name: string, attributes: Record<string, string>) => void;
  text: (text: string) => void;
  closetag: (name: string) => void;
}
