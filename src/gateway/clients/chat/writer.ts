import type { Chunk, ChunkChoice, Delta } from '#chat/chunk.ts'
import type { AnswerEvent, Citation, TokenCounts } from '#chat/events.ts'
import { isThoughtEnd, type Thought, toReasoningDetails } from '#chat/thoughts.ts'
import type { AnswerHead, StreamWriter } from '../../protocol/protocol.ts'
import { errorTypeFor } from './error-type.ts'
import { functionReason, usesFunctions } from './legacy-functions.ts'
import { callArguments, emptyCall, toAnnotations, toImagePart } from './parts.ts'
import { speechId } from './speech.ts'
import { usageOf } from './usage.ts'

/**
 * Usage is always sent. Clients that requested it expect a chunk without choices. Others may read the first choice of
 * every chunk without a check, so they get an empty choice.
 */
export const emptyChoice: ChunkChoice = { index: 0, delta: {}, finish_reason: null }

/**
 * Writes one answer as chunks.
 * @param isStarted whether the client already has the chunk with the role.
 */
export function chatWriter(
  head: AnswerHead,
  { includeUsage, isStarted = false }: { includeUsage: boolean; isStarted?: boolean },
): StreamWriter {
  /** The index of the choice of the current event. */
  let choice = 0
  const writeChunk = (choices: ChunkChoice[], members: Partial<Chunk> = {}): string => {
    const { id, provider, model, createdSeconds: created } = head
    const chunk: Chunk = { id, object: 'chat.completion.chunk', created, model, provider, choices, ...members }
    return `data: ${JSON.stringify(chunk)}\n\n`
  }
  const writeDelta = (delta: Delta, finish: ChunkChoice['finish_reason'] = null) =>
    writeChunk([{ index: choice, delta, finish_reason: finish }])
  let hasStarted = isStarted
  let tokens: TokenCounts | undefined
  let thoughts = 0
  let writtenLength = 0
  const customCalls = new Set<number>()
  /** The client expects its only call in `function_call`, the predecessor of `tool_calls`. */
  const isLegacy = usesFunctions(head.request)

  function writeThought(piece: Thought): string {
    const details = toReasoningDetails({ by: head.model, ...piece }, thoughts)
    if (isThoughtEnd(piece)) thoughts++
    if (!piece.text && details.length === 0) return ''
    return writeDelta({
      ...(piece.text && { reasoning: piece.text }),
      ...(details.length > 0 && { reasoning_details: details }),
    })
  }

  function writeCitation(citation: Citation): string {
    const annotations = toAnnotations(citation, writtenLength)
    return annotations.length > 0 ? writeDelta({ annotations }) : ''
  }

  function write(event: AnswerEvent): string {
    switch (event.type) {
      case 'text':
        writtenLength += event.text.length
        return writeDelta({ content: event.text })
      case 'reasoning':
        return writeThought(event)
      case 'refusal':
        return writeDelta({ refusal: event.text })
      case 'tool_call':
        if (event.custom) customCalls.add(event.index)
        if (isLegacy) return event.index > 0 ? '' : writeDelta({ function_call: { name: event.name, arguments: '' } })
        return writeDelta({ tool_calls: [{ index: event.index, ...emptyCall(event) }] })
      case 'tool_arguments':
        if (isLegacy) return event.index > 0 ? '' : writeDelta({ function_call: { arguments: event.text } })
        return writeDelta({
          tool_calls: [{ index: event.index, ...callArguments(event.text, customCalls.has(event.index)) }],
        })
      case 'citation':
        return writeCitation(event)
      case 'image':
        return writeDelta({ images: [toImagePart(event)] })
      case 'audio':
        return writeDelta({ audio: { id: speechId(head), data: event.data } })
      case 'finish':
        return writeDelta({}, isLegacy && event.reason === 'tool_calls' ? functionReason : event.reason)
      case 'usage':
        tokens = event.tokens
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

  return {
    event(event) {
      choice = event.choice ?? 0
      const text = write(event)
      if (hasStarted || text === '') return text
      hasStarted = true
      return writeDelta({ role: 'assistant', content: '' }) + text
    },
    end: (cost) => {
      const usage = tokens ? writeChunk(includeUsage ? [] : [emptyChoice], { usage: usageOf(tokens, cost) }) : ''
      return `${usage}data: [DONE]\n\n`
    },
    fail: ({ metadata, ...error }) => {
      const error_type = errorTypeFor(error.code, metadata?.error_type ?? metadata?.provider_code)
      const errorBody = { ...error, metadata: { ...metadata, error_type } }
      return `${writeChunk([{ index: 0, delta: {}, finish_reason: 'error' }], { error: errorBody })}data: [DONE]\n\n`
    },
  }
}
