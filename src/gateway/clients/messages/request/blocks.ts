import type { ContentPart } from '#chat/message.ts'
import { Fault } from '#platform/core/fault.ts'

export type Block = { type: string } & Record<string, unknown>

/** Reads content, a text or a list of blocks, as blocks. @throws Fault `invalid` for other values. */
export function readBlocks(content: unknown, path: string): Block[] {
  if (content == null) return []
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw new Fault('invalid', `${path}: must be text or an array of blocks.`)
  for (const [index, block] of content.entries())
    if (typeof block?.type !== 'string') throw new Fault('invalid', `${path}.${index}.type: is required.`)
  return content as Block[]
}

/** Converts a block to parts of a chat message. Blocks of unknown types stay, and the provider accepts or refuses them. */
export function toParts(block: Block, path: string): ContentPart[] {
  const cache = block.cache_control == null ? {} : { cache_control: block.cache_control }
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: String(block.text ?? ''), ...cache }]
    case 'image':
      return [{ ...imagePart(requireSource(block, path)), ...cache }]
    case 'document':
      return documentParts(block, path).map((part) => ({ ...part, ...cache }))
    case 'search_result':
      return [{ type: 'text', text: searchResultText(block, path), ...cache }]
    case 'tool_reference':
      return [{ type: 'text', text: String(block.tool_name ?? '') }]
    default:
      return [block as ContentPart]
  }
}

type Source = {
  type?: unknown
  media_type?: unknown
  data?: unknown
  url?: unknown
  file_id?: unknown
  content?: unknown
}

function requireSource({ source }: Block, path: string): Source {
  if (typeof source === 'object' && source !== null) return source as Source
  throw new Fault('invalid', `${path}.source: is required.`)
}

const toDataUrl = ({ media_type, data }: Source) => `data:${media_type};base64,${data}`

function imagePart(source: Source): ContentPart {
  if (source.type === 'file') return { type: 'file', file: { file_id: source.file_id } }
  return { type: 'image_url', image_url: { url: source.type === 'url' ? source.url : toDataUrl(source) } }
}

/** Text documents become text parts, because few models other than Anthropic's accept them as files. */
function documentParts(block: Block, path: string): ContentPart[] {
  const source = requireSource(block, path)
  const heading = [block.title, block.context].filter((text) => typeof text === 'string' && text !== '').join('\n')
  switch (source.type) {
    case 'text':
      return [{ type: 'text', text: heading ? `${heading}\n\n${source.data}` : String(source.data ?? '') }]
    case 'content': {
      const nestedBlocks = readBlocks(source.content, `${path}.source.content`)
      const parts = nestedBlocks.flatMap((nested, index) => toParts(nested, `${path}.source.content.${index}`))
      return heading ? [{ type: 'text', text: heading }, ...parts] : parts
    }
    case 'file':
      return withContext(block, { type: 'file', file: { file_id: source.file_id } })
    default: {
      const filename = typeof block.title === 'string' ? block.title : 'document.pdf'
      const file_data = source.type === 'url' ? source.url : toDataUrl(source)
      return withContext(block, { type: 'file', file: { file_data, filename } })
    }
  }
}

/** A file after the context that the client describes it with, which only Anthropic's documents have. */
function withContext({ context }: Block, file: ContentPart): ContentPart[] {
  return typeof context === 'string' && context !== '' ? [{ type: 'text', text: context }, file] : [file]
}

function searchResultText({ title, source, content }: Block, path: string): string {
  const texts = readBlocks(content, `${path}.content`).map(({ text }) => String(text ?? ''))
  return [title, source, ...texts].filter((text) => typeof text === 'string' && text !== '').join('\n')
}
