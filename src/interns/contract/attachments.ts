export const attachmentKinds = ['image', 'audio', 'file'] as const

/** A file that is sent with a prompt. `data` is base64; `part` is its position in the message. */
export type Attachment = {
  kind: (typeof attachmentKinds)[number]
  name: string | null
  mimeType: string
  data: string
  part: number
}

/** The text of an attached file, for content filters; undefined if it is not UTF-8 text, or not a file. */
export function decodeTextFile({ kind, data }: Attachment): string | undefined {
  if (kind !== 'file') return undefined
  const bytes = Buffer.from(data, 'base64')
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** Describes an attachment for a transcript. */
export function describeAttachment({ kind, name, mimeType, data }: Attachment): string {
  return `[${kind}${name === null ? '' : ` "${name}"`}: ${mimeType}, ${Buffer.byteLength(data, 'base64')} bytes]`
}
