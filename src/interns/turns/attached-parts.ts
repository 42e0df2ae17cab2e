import { z } from '#platform/json/schema.ts'
import type { Attachment } from '../contract/attachments.ts'

export const ImagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string().describe('A data URL, such as `data:image/png;base64,…`.') }),
})

export const FilePart = z.object({
  type: z.literal('file'),
  file: z.object({
    filename: z.string().min(1).max(255).optional().describe('The name in the workspace.'),
    file_data: z.string().optional().describe('A data URL. Interns require it.'),
  }),
})

export const AudioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: z.string().describe('Base64.'), format: z.string().min(1).max(32) }),
})

export type AttachedPart = z.infer<typeof ImagePart> | z.infer<typeof FilePart> | z.infer<typeof AudioPart>

/**
 * Converts a part of a message. @param at its position in the message. @param createError creates the error for an invalid
 * part.
 */
export function parseAttachment(part: AttachedPart, at: number, createError: (problem: string) => Error): Attachment {
  switch (part.type) {
    case 'input_audio': {
      const { data, format } = part.input_audio
      const mimeType = `audio/${format === 'mp3' ? 'mpeg' : format}`
      return requireBase64({ kind: 'audio', name: null, mimeType, data, part: at }, 'input_audio.data', createError)
    }
    case 'image_url': {
      const parsed = parseDataUrl(part.image_url.url)
      if (!parsed) throw createError('image_url.url must be a data URL in base64: interns do not fetch images')
      if (!parsed.mimeType.startsWith('image/'))
        throw createError(`image_url.url contains ${parsed.mimeType}, which is not an image`)
      return requireBase64({ kind: 'image', name: null, ...parsed, part: at }, 'image_url.url', createError)
    }
    case 'file': {
      const { filename = null, file_data = '' } = part.file
      const parsed = parseDataUrl(file_data)
      if (!parsed)
        throw createError('file.file_data must be a data URL in base64, such as "data:text/plain;base64,SGk="')
      const name = filename?.split(/[/\\]/).at(-1) || null
      return requireBase64({ kind: 'file', name, ...parsed, part: at }, 'file.file_data', createError)
    }
  }
}

/** The longest header of a data URL: its type with parameters. */
const maxDataHeader = 300

/**
 * Parses a base64 data URL. The type is returned without parameters, such as the character set. A missing or unreadable type is
 * `application/octet-stream`.
 */
function parseDataUrl(url: string): { mimeType: string; data: string } | undefined {
  const comma = url.slice(0, maxDataHeader).indexOf(',')
  const header = url.slice(0, comma)
  if (comma === -1 || !/^data:.*;base64$/is.test(header)) return undefined
  const [, mimeType = 'application/octet-stream'] =
    /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[\w."+-]+)*;base64$/i.exec(header) ?? []
  return { mimeType: mimeType.toLowerCase(), data: url.slice(comma + 1) }
}

/** Accepts base64 with or without padding. */
function requireBase64(attachment: Attachment, field: string, createError: (problem: string) => Error): Attachment {
  const { data } = attachment
  if (data === '') throw createError(`${field} is empty`)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data) || data.length % 4 === 1) throw createError(`${field} is not valid base64`)
  return attachment
}
