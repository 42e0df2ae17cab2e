import type { Chunk, ChunkChoice, Delta } from '#chat/chunk.ts'
import type { Citation, CompletionEvent } from '#chat/events.ts'
import { toServiceTierField } from '#chat/service-tier.ts'
import { isThoughtEnd, type Thought, toReasoningDetails } from '#chat/thoughts.ts'
import type { ResponseHead, StreamWriter } from '../../protocol/client-protocol.ts'
import { errorTypeFor } from './error-type.ts'
import { legacyFinishReason, usesLegacyFunctions } from './legacy-functions.ts'
import { toAnnotations, toArgumentsDelta, toEmptyCall, toImagePart } from './parts.ts'
import { toSpeechId } from './speech.ts'
import { toChatUsage } from './usage.ts'

/**
 * Usage is always sent. Clients that requested it expect a chunk without choices. Others may read the first choice of
 * every chunk without a check, so they get an empty choice.
 */
export const emptyChoice: ChunkChoice = { index: 0, delta: {}, finish_reason: null }

type WriterOptions = {
  includeUsage: boolean
  /** Whether the client already has the chunk with the role. */
  isStarted?: boolean
}

/** Writes one response as chunks. */
export const createChatWriter = (head: ResponseHead, options: WriterOptions): StreamWriter =>
  new ChatWriter(head, options)

class ChatWriter implements StreamWriter {
  readonly #head: ResponseHead
  readonly #includeUsage: boolean
  /** The client expects its only call in `function_call`, the predecessor of `tool_calls`. */
  readonly #isLegacy: boolean
  readonly #customCalls = new Set<number>()
  #hasStarted: boolean
  /** The index of the choice of the current event. */
  #choice = 0
  #usage: Extract<CompletionEvent, { type: 'usage' }> | undefined
  #thoughtCount = 0
  #writtenLength = 0

  constructor(head: ResponseHead, { includeUsage, isStarted = false }: WriterOptions) {
    this.#head = head
    this.#includeUsage = includeUsage
    this.#isLegacy = usesLegacyFunctions(head.request)
    this.#hasStarted = isStarted
  }

  readonly event = (event: CompletionEvent): string => {
    this.#choice = event.choice ?? 0
    const text = this.#writeEvent(event)
    if (this.#hasStarted || text === '') return text
    this.#hasStarted = true
    return this.#writeDelta({ role: 'assistant', content: '' }) + text
  }

  readonly end: StreamWriter['end'] = (cost) => {
    const choices = this.#includeUsage ? [] : [emptyChoice]
    if (!this.#usage) return 'data: [DONE]\n\n'
    const { tokens, extras } = this.#usage
    return `${this.#writeChunk(choices, { ...toServiceTierField(extras), usage: toChatUsage(tokens, cost) })}data: [DONE]\n\n`
  }

  readonly fail: StreamWriter['fail'] = ({ metadata, ...error }) => {
    const error_type = errorTypeFor(error.code, metadata?.error_type ?? metadata?.provider_code)
    const errorBody = { ...error, metadata: { ...metadata, error_type } }
    const choice: ChunkChoice = { index: 0, delta: {}, finish_reason: 'error' }
    return `${this.#writeChunk([choice], { error: errorBody })}data: [DONE]\n\n`
  }

  #writeEvent(event: CompletionEvent): string {
    switch (event.type) {
      case 'text':
        this.#writtenLength += event.text.length
        return this.#writeDelta({ content: event.text })
      case 'reasoning':
        return this.#writeThought(event)
      case 'refusal':
        return this.#writeDelta({ refusal: event.text })
      case 'tool_call':
        return this.#writeCall(event)
      case 'tool_arguments':
        return this.#writeArguments(event)
      case 'citation':
        return this.#writeCitation(event)
      case 'image':
        return this.#writeDelta({ images: [toImagePart(event)] })
      case 'audio':
        return this.#writeDelta({ audio: { id: toSpeechId(this.#head), data: event.data } })
      case 'finish':
        return this.#writeDelta({}, this.#isLegacy && event.reason === 'tool_calls' ? legacyFinishReason : event.reason)
      case 'usage':
        this.#usage = event
        return ''
      case 'started':
      case 'billed_piece':
      case 'items':
      case 'error':
        return ''
      default:
        return event satisfies never
    }
  }

  #writeThought(piece: Thought): string {
    const details = toReasoningDetails({ by: this.#head.model, ...piece }, this.#thoughtCount)
    if (isThoughtEnd(piece)) this.#thoughtCount++
    if (!piece.text && details.length === 0) return ''
    return this.#writeDelta({
      ...(piece.text && { reasoning: piece.text }),
      ...(details.length > 0 && { reasoning_details: details }),
    })
  }

  #writeCall(event: Extract<CompletionEvent, { type: 'tool_call' }>): string {
    const { index, name } = event
    if (event.custom) this.#customCalls.add(index)
    if (this.#isLegacy) return index > 0 ? '' : this.#writeDelta({ function_call: { name, arguments: '' } })
    return this.#writeDelta({ tool_calls: [{ index, ...toEmptyCall(event) }] })
  }

  #writeArguments({ index, text }: Extract<CompletionEvent, { type: 'tool_arguments' }>): string {
    if (this.#isLegacy) return index > 0 ? '' : this.#writeDelta({ function_call: { arguments: text } })
    return this.#writeDelta({ tool_calls: [{ index, ...toArgumentsDelta(text, this.#customCalls.has(index)) }] })
  }

  #writeCitation(citation: Citation): string {
    const annotations = toAnnotations(citation, this.#writtenLength)
    return annotations.length > 0 ? this.#writeDelta({ annotations }) : ''
  }

  #writeDelta(delta: Delta, finish: ChunkChoice['finish_reason'] = null): string {
    return this.#writeChunk([{ index: this.#choice, delta, finish_reason: finish }])
  }

  #writeChunk(choices: ChunkChoice[], fields: Partial<Chunk> = {}): string {
    const { id, provider, model, createdSeconds: created } = this.#head
    const chunk: Chunk = { id, object: 'chat.completion.chunk', created, model, provider, choices, ...fields }
    return `data: ${JSON.stringify(chunk)}\n\n`
  }
}
