import { mapItems } from '#platform/json/map-texts.ts'
import type { Body } from '../request-body.ts'
import type { Repair } from './repair.ts'

/** The extensions of files whose type OpenAI reads from the name. */
const extensions: Record<string, string> = {
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/html': 'html',
  'text/csv': 'csv',
  'application/json': 'json',
  'application/xml': 'xml',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
}

/** The name for a file without a name. OpenAI requires a name beside the data of a file. */
export function defaultFilename(mediaType: string): string {
  return Object.hasOwn(extensions, mediaType) ? `file.${extensions[mediaType]}` : 'file'
}

type Part = { type?: unknown; file?: unknown } & Body
type Message = { content?: unknown } & Body

/** Creates the repair that names files in messages. @param list the field with the messages. */
export function filenameRepair(list: 'messages' | 'input'): Repair {
  return (body) => {
    if (!Array.isArray(body[list])) return body
    const messages = mapItems(body[list] as Message[], (message) => {
      if (!Array.isArray(message?.content)) return message
      const content = mapItems(message.content as Part[], withNamedFile)
      return content === message.content ? message : { ...message, content }
    })
    return messages === body[list] ? body : { ...body, [list]: messages }
  }
}

function withNamedFile(part: Part): Part {
  if (part?.type === 'input_file') return withName(part)
  if (part?.type !== 'file' || typeof part.file !== 'object' || part.file === null) return part
  const file = withName(part.file as Body)
  return file === part.file ? part : { ...part, file }
}

/** Longer than `data:` and any media type, in characters. */
const maxPrefixLength = 105

function withName<File extends Body>(file: File): File {
  const { file_data: data, filename } = file
  if (typeof data !== 'string' || (typeof filename === 'string' && filename !== '')) return file
  const [, mediaType = ''] = /^data:([^;,]*)/i.exec(data.slice(0, maxPrefixLength)) ?? []
  return { ...file, filename: defaultFilename(mediaType.toLowerCase()) }
}
