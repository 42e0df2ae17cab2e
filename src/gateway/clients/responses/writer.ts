import type { AnswerEvent, Citation, TokenCounts } from '#chat/events.ts'
import { encodeThought } from '#chat/thought-encoding.ts'
import { isThoughtEnd, type Thought } from '#chat/thoughts.ts'
import type { AnswerHead, CostNote, StreamWriter } from '../../protocol/client-protocol.ts'
import { CallItems, type ToolCall } from './call-items.ts'
import { ItemEvents } from './item-events.ts'
import type { FileCitation, MessageItem, ReasoningItem, ResponseState, TextPart, UrlCitation } from './object.ts'
import { responseObject, responseUsage } from './object.ts'
import { TextPosition } from './text-position.ts'

type Finish = Extract<AnswerEvent, { type: 'finish' }>['reason']

/** Why a response is incomplete, by its finish reason. */
const incompleteReasons: { [finish in Finish]?: 'max_output_tokens' | 'content_filter' } = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

/**
 * Writes one response as a stream of numbered events: each item and part is announced, extended and finished. Also builds
 * the whole response.
 */
export class ResponseWriter implements StreamWriter {
  readonly #head: AnswerHead
  readonly #textPosition = new TextPosition()
  readonly #state: ResponseState = { status: 'in_progress', output: [] }
  readonly #items: ItemEvents
  readonly #hasPassedEvents: boolean
  #hasStarted = false
  /** The item that is not closed yet. Calls are in `#calls`. */
  #open: MessageItem | ReasoningItem | undefined
  /** The latest piece of the open reasoning item. */
  #thought: Thought | undefined
  /** Created at the first tool call. */
  #calls: CallItems | undefined
  #finish: Finish = 'stop'
  #tokens: TokenCounts | undefined

  constructor(head: AnswerHead, passedEvents = 0) {
    this.#hasPassedEvents = passedEvents > 0
    this.#head = head
    this.#items = new ItemEvents(this.#state.output, head.id, passedEvents)
  }

  get response(): object {
    return responseObject(this.#head, this.#state)
  }

  readonly event = (event: AnswerEvent): string => this.#start() + this.#writeEvent(event)

  readonly end = (cost: CostNote | undefined): string => {
    const startEvents = this.#start()
    const reason = incompleteReasons[this.#finish]
    const status = reason === undefined ? 'completed' : 'incomplete'
    const closingEvents = this.#close(status) + (this.#calls?.close(status) ?? '')
    if (this.#tokens) this.#state.usage = responseUsage(this.#tokens, cost)
    this.#state.status = status
    if (reason !== undefined) this.#state.incomplete_details = { reason }
    return startEvents + closingEvents + this.#items.write(`response.${status}`, { response: this.response })
  }

  /**
   * Ends the stream with an error. The response keeps the output so far; the open item stays unfinished. If the
   * upstream's events were passed through, the response is unknown, and only the error is sent.
   */
  readonly fail: StreamWriter['fail'] = ({ code: status, message: summary, metadata }): string => {
    const message = withReason(summary, metadata?.raw)
    const code = metadata?.error_type === 'context_length_exceeded' ? 'context_length_exceeded' : errorCodeFor(status)
    if (this.#hasPassedEvents) return this.#items.write('error', { code, message, param: null })
    const startEvents = this.#start()
    this.#state.status = 'failed'
    this.#state.error = { code, message }
    return startEvents + this.#items.write('response.failed', { response: this.response })
  }

  #start(): string {
    if (this.#hasStarted) return ''
    this.#hasStarted = true
    const { response } = this
    return this.#items.write('response.created', { response }) + this.#items.write('response.in_progress', { response })
  }

  #writeEvent(event: AnswerEvent): string {
    switch (event.type) {
      case 'text':
      case 'refusal':
        return event.text ? this.#writeText(event.type, event.text) : ''
      case 'reasoning':
        return this.#writeReasoning(event)
      case 'tool_call':
        return this.#call(event)
      case 'tool_arguments':
        return this.#calls?.writeArguments(event.index, event.text) ?? ''
      case 'citation':
        return this.#cite(event)
      case 'image':
        return this.#close('completed') + this.#items.imageAdded(event.url)
      case 'finish':
        this.#finish = event.reason
        return ''
      case 'usage':
        this.#tokens = event.tokens
        return ''
      case 'started':
      // This protocol has no speech.
      case 'audio':
      case 'billed_piece':
      case 'items':
      case 'error':
        return ''
      default:
        return event satisfies never
    }
  }

  #writeText(kind: 'text' | 'refusal', delta: string): string {
    const output = this.#openMessage(kind === 'text' ? 'output_text' : 'refusal')
    const message = this.#open as MessageItem
    const part = message.content.at(-1)!
    if (part.type === 'refusal') part.refusal += delta
    else {
      part.text += delta
      this.#textPosition.addText(delta)
    }
    return output + this.#items.textAdded(message, part, delta)
  }

  /** Opens a message whose last part has this type, unless it is open. */
  #openMessage(type: TextPart['type']): string {
    let output = ''
    if (this.#open?.type !== 'message') {
      const content: TextPart[] = []
      output += this.#add({
        id: this.#items.newId('msg'),
        type: 'message',
        status: 'in_progress',
        role: 'assistant',
        content,
      })
    }
    const message = this.#open as MessageItem
    if (message.content.at(-1)?.type !== type) output += this.#items.partDone(message) + this.#openPart(message, type)
    return output
  }

  #openPart(message: MessageItem, type: TextPart['type']): string {
    const part: TextPart =
      type === 'refusal' ? { type, refusal: '' } : { type, text: '', annotations: [], logprobs: [] }
    message.content.push(part)
    this.#textPosition.startPart()
    return this.#items.partAdded(message, part)
  }

  #writeReasoning(piece: Thought): string {
    let output = ''
    if (!piece.text && !isThoughtEnd(piece)) return output
    if (this.#open?.type !== 'reasoning')
      output += this.#add({ id: this.#items.newId('rs'), type: 'reasoning', summary: [] })
    const item = this.#open as ReasoningItem
    if (piece.text) output += this.#items.summaryAdded(item, piece.text)
    this.#thought = piece
    if (!isThoughtEnd(piece)) return output
    const encoded = encodeThought(piece)
    if (encoded !== undefined) item.encrypted_content = encoded
    return output + this.#close('completed')
  }

  #cite(citation: Citation): string {
    const output = this.#openMessage('output_text')
    const message = this.#open as MessageItem
    const part = message.content.at(-1) as Extract<TextPart, { type: 'output_text' }>
    part.annotations.push(this.#toAnnotation(citation))
    return output + this.#items.citationAdded(message, part)
  }

  #toAnnotation(citation: Citation): UrlCitation | FileCitation {
    const { url, file, title = '' } = citation
    if (file) return { type: 'file_citation', file_id: file.id, filename: file.name, index: file.index }
    return { type: 'url_citation', url, title, ...this.#textPosition.toPartPosition(citation) }
  }

  #call(call: ToolCall): string {
    this.#calls ??= new CallItems(this.#items, this.#head)
    return this.#close('completed') + this.#calls.add(call)
  }

  #add(item: MessageItem | ReasoningItem): string {
    const closingEvents = this.#close('completed')
    this.#open = item
    return closingEvents + this.#items.added(item)
  }

  #close(status: 'completed' | 'incomplete'): string {
    const item = this.#open
    if (!item) return ''
    this.#open = undefined
    if (item.type === 'reasoning' && item.encrypted_content === undefined) {
      const encoded = encodeThought({ ...this.#thought, by: this.#head.model })
      if (encoded !== undefined) item.encrypted_content = encoded
    }
    const closingEvents = item.type === 'message' ? this.#items.partDone(item) : this.#items.summaryDone(item)
    if (item.type === 'message') item.status = status
    return closingEvents + this.#items.done(item)
  }
}

/** The error code of the protocol. */
function errorCodeFor(status: number): string {
  if (status === 429) return 'rate_limit_exceeded'
  // 408: the provider did not answer in time.
  return status >= 400 && status < 500 && status !== 408 ? 'invalid_prompt' : 'server_error'
}

/** The message of an error with the provider's own. The error of a response has no other member for it. */
function withReason(message: string, raw: unknown): string {
  return typeof raw !== 'string' || message.includes(raw) ? message : `${message.replace(/\.$/, '')}: ${raw}`
}
