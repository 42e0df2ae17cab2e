import type { Content, ContentPart } from '#chat/message.ts'
import { Fault } from '#platform/core/fault.ts'
import { isPdfUrl } from '../../../protocol/repairs/media-types.ts'

/** A part of a content of a responses request. */
export type Part = { type: string } & Record<string, unknown>

/** Translates the content of a message or the output of a call. @param path the position for errors, such as `input.0.content`. */
export function toContent(content: unknown, path: string): Content {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw new Fault('invalid', `${path}: must be text or an array of parts.`)
  return content.map((part: Part, index) => {
    if (typeof part?.type !== 'string') throw new Fault('invalid', `${path}.${index}.type: is required.`)
    return toPart(part)
  })
}

function toPart(part: Part): ContentPart {
  const { type, text, image_url: image, file_id, file_data, file_url, filename } = part
  const { url, detail = part.detail } = (typeof image === 'object' && image !== null ? image : { url: image }) as {
    url?: unknown
    detail?: unknown
  }
  const { cache_control, prompt_cache_breakpoint } = part
  const cache = {
    ...(cache_control !== undefined && { cache_control }),
    ...(prompt_cache_breakpoint !== undefined && { prompt_cache_breakpoint }),
  }
  switch (type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: String(text ?? ''), ...cache }
    case 'input_image':
      if (url == null) return { type: 'file', file: { file_id } }
      if (isPdfUrl(url)) return { type: 'file', file: { file_data: url }, ...cache }
      return { type: 'image_url', image_url: { url, ...(detail != null && { detail }) }, ...cache }
    case 'input_file': {
      const data = file_data ?? file_url
      const file = { ...(data != null && { file_data: data }), ...(filename != null && { filename }) }
      return { type: 'file', file: { ...file, ...(file_id != null && { file_id }) }, ...cache }
    }
    default:
      return part
  }
}
