import type { ReasoningDetail } from '#chat/thoughts.ts'
import { type Part, textsOf } from '../../protocol/thinking-parts.ts'
import type { UpstreamEvent } from '../../protocol/tool-calls/piece.ts'

type Annotation = {
  type?: string
  url_citation?: { url?: string; title?: string; content?: string; start_index?: number; end_index?: number }
}

/**
 * The content of a message or of a delta. `reasoning` and `reasoning_content` are two names for the same field.
 */
export type ChatContent = {
  /** Text, or a list of parts, as in the reasoning models of Mistral. */
  content?: string | Part[] | null
  reasoning?: string | null
  reasoning_content?: string | null
  reasoning_details?: ReasoningDetail[] | null
  annotations?: Annotation[] | null
  images?: ({ image_url?: { url?: string } } | null)[] | null
}

/** Reads the content of a message into `events`. */
export function readContent(message: ChatContent, events: UpstreamEvent[]): void {
  readThoughts(message, events)
  const { content, annotations, images } = message
  if (typeof content === 'string') {
    if (content) events.push({ type: 'text', text: content })
  } else if (Array.isArray(content)) {
    for (const part of content) readPart(part, events)
  }
  if (Array.isArray(annotations)) for (const one of annotations) readAnnotation(one, events)
  if (!Array.isArray(images)) return
  for (const image of images) {
    events.push({ type: 'piece', unit: 'image' })
    const url = image?.image_url?.url
    if (typeof url === 'string' && url) events.push({ type: 'image', url })
  }
}

function readThoughts(
  { reasoning, reasoning_content, reasoning_details: details }: ChatContent,
  events: UpstreamEvent[],
): void {
  const field = reasoning ? 'reasoning' : 'reasoning_content'
  const text = reasoning || reasoning_content
  const validDetails = Array.isArray(details) ? details.filter((one) => typeof one === 'object' && one !== null) : []
  const hasText = validDetails.some((one) => one.text || one.summary)
  if (!hasText && typeof text === 'string' && text) events.push({ type: 'reasoning', text, field })
  for (const detail of validDetails) {
    const { type, signature, data, id, format } = detail
    const words = detail.text ?? detail.summary ?? ''
    const isSummary = type === 'reasoning.summary'
    if (!words && !signature && !data) continue
    events.push({
      type: 'reasoning',
      text: words,
      via: 'chat',
      ...(format && { format }),
      ...(isSummary && { isSummary }),
      ...(signature && { signature }),
      ...(data && { encrypted: data }),
      ...(id && { id }),
    })
  }
}

function readPart(part: Part, events: UpstreamEvent[]): void {
  const { thought, text } = textsOf(part)
  if (thought) events.push({ type: 'reasoning', text: thought, field: 'thinking' })
  if (text) events.push({ type: 'text', text })
}

function readAnnotation(annotation: Annotation | null, events: UpstreamEvent[]): void {
  const { url, title, content, start_index: start, end_index: end } = annotation?.url_citation ?? {}
  if (typeof url !== 'string' || !url) return
  events.push({
    type: 'citation',
    url,
    ...(title && { title }),
    ...(content && { quote: content }),
    ...(typeof start === 'number' && typeof end === 'number' && end > 0 && { start, end }),
  })
}
