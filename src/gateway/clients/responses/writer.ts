import type { Citation, CompletionEvent, TokenCounts } from '#chat/events.ts'
import { toServiceTierField } from '#chat/service-tier.ts'
import { encodeThought } from '#chat/thought-encoding.ts'
import { isThoughtEnd, type Thought } from '#chat/thoughts.ts'
import type { CostNote, ResponseHead, StreamWriter } from '../../protocol/client-protocol.ts'
import { CallItems, type ToolCall } from './call-items.ts'
import { ItemEvents } from './item-events.ts'
import type {
  FileCitation,
  MessageItem,
  OutputTextPart,
  ReasoningItem,
  RefusalPart,
  ResponseState,
  TextPart,
  UrlCitation,
} from './object.ts'
import { toResponseObject, toResponseUsage } from './object.ts'
import { TextPosition } from './text-position.ts'

type Finish = Extract<CompletionEvent, { type: 'finish' }>['reason']

/** A text part of a message, and the events that open them. */
type OpenText = { message: MessageItem; part: OutputTextPart; startEvents: string }

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
  readonly #head: ResponseHead
  readonly #textPosition = new TextPosition()
  readonly #state: ResponseState = { status: 'in_progress', output: [] }
  readonly #items: ItemEvents
  readonly #hasPassedEvents: boolean
  #hasStarted = false
  /** The item that is not closed yet. Calls are in `#calls`. */
  #openItem: MessageItem | ReasoningItem | undefined
  /** The latest message with text. It gets the citations that arrive after it was closed. */
  #citableMessage: MessageItem | undefined
  /** The latest piece of the open reasoning item. */
  #thought: Thought | undefined
  /** Created at the first tool call. */
  #calls: CallItems | undefined
  #finish: Finish = 'stop'
  #tokens: TokenCounts | undefined

  constructor(head: ResponseHead, passedEvents = 0) {
    this.#hasPassedEvents = passedEvents > 0
    this.#head = head
    this.#items = new ItemEvents(this.#state.output, head.id, passedEvents)
  }

  get response(): object {
    return toResponseObject(this.#head, this.#state)
  }

  readonly event = (event: CompletionEvent): string => this.#start() + this.#writeEvent(event)

  readonly end = (cost: CostNote | undefined): string => {
    const startEvents = this.#start()
    const reason = incompleteReasons[this.#finish]
    const status = reason === undefined ? 'completed' : 'incomplete'
    const closingEvents = this.#close(status) + (this.#calls?.close(status) ?? '')
    if (this.#tokens) this.#state.usage = toResponseUsage(this.#tokens, cost)
    this.#state.status = status
    if (reason !== undefined) this.#state.incomplete_details = { reason }
    return startEvents + closingEvents + this.#items.write(`response.${status}`, { response: this.response })
  }

  /**
   * Ends the stream with an error. The response keeps the output so far; the open item stays unfinished. If the
   * upstream's events were passed through, the response is unknown, and only the error is sent.
   */
  readonly fail: StreamWriter['fail'] = ({ code: status, message: summary, metadata }): string => {
    const message = appendProviderMessage(summary, metadata?.raw)
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

  #writeEvent(event: CompletionEvent): string {
    switch (event.type) {
      case 'text':
      case 'refusal':
        if (!event.text) return ''
        return event.type === 'text' ? this.#writeText(event.text) : this.#writeRefusal(event.text)
      case 'reasoning':
        return this.#writeReasoning(event)
      case 'tool_call':
        return this.#startCall(event)
      case 'tool_arguments':
        return this.#calls?.writeArguments(event.index, event.text) ?? ''
      case 'citation':
        return this.#writeCitation(event)
      case 'image':
        return this.#close('completed') + this.#items.addImage(event.url)
      case 'finish':
        this.#finish = event.reason
        return ''
      case 'usage':
        this.#tokens = event.tokens
        Object.assign(this.#state, toServiceTierField(event.extras))
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

  #writeText(delta: string): string {
    const { message, part, startEvents } = this.#openOutputText()
    part.text += delta
    this.#textPosition.addText(delta)
    return startEvents + this.#items.addText(message, part, delta)
  }

  #writeRefusal(delta: string): string {
    const { message, startEvents } = this.#openMessage()
    const last = message.content.at(-1)
    const part: RefusalPart = last?.type === 'refusal' ? last : { type: 'refusal', refusal: '' }
    const partEvents = part === last ? '' : this.#startPart(message, part)
    part.refusal += delta
    return startEvents + partEvents + this.#items.addText(message, part, delta)
  }

  #writeCitation(citation: Citation): string {
    const { message, part, startEvents } = this.#findCitedText() ?? this.#openOutputText()
    part.annotations.push(this.#toAnnotation(citation))
    return startEvents + this.#items.addCitation(message, part)
  }

  /** Returns the last text of a closed message. A citation opens no further message. */
  #findCitedText(): OpenText | undefined {
    const part = this.#citableMessage?.content.at(-1)
    if (!this.#citableMessage || this.#openItem?.type === 'message' || part?.type !== 'output_text') return undefined
    return { message: this.#citableMessage, part, startEvents: '' }
  }

  /** Returns the open message. Starts a message if another item is open. */
  #openMessage(): { message: MessageItem; startEvents: string } {
    if (this.#openItem?.type === 'message') return { message: this.#openItem, startEvents: '' }
    const id = this.#items.newId('msg')
    const message: MessageItem = { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
    return { message, startEvents: this.#startItem(message) }
  }

  /** Returns the open text part. Starts a message or a part if another item or part is open. */
  #openOutputText(): OpenText {
    const { message, startEvents } = this.#openMessage()
    const last = message.content.at(-1)
    if (last?.type === 'output_text') return { message, part: last, startEvents }
    const part: OutputTextPart = { type: 'output_text', text: '', annotations: [], logprobs: [] }
    return { message, part, startEvents: startEvents + this.#startPart(message, part) }
  }

  #startPart(message: MessageItem, part: TextPart): string {
    const closingEvents = this.#items.finishPart(message)
    message.content.push(part)
    this.#textPosition.startPart()
    return closingEvents + this.#items.addPart(message, part)
  }

  #writeReasoning(piece: Thought): string {
    if (!piece.text && !isThoughtEnd(piece)) return ''
    const { item, startEvents } = this.#openReasoning()
    const output = piece.text ? startEvents + this.#items.addSummary(item, piece.text) : startEvents
    this.#thought = piece
    if (!isThoughtEnd(piece)) return output
    const encoded = encodeThought(piece)
    if (encoded !== undefined) item.encrypted_content = encoded
    return output + this.#close('completed')
  }

  /** Returns the open reasoning item. Starts one if another item is open. */
  #openReasoning(): { item: ReasoningItem; startEvents: string } {
    if (this.#openItem?.type === 'reasoning') return { item: this.#openItem, startEvents: '' }
    const item: ReasoningItem = { id: this.#items.newId('rs'), type: 'reasoning', summary: [] }
    return { item, startEvents: this.#startItem(item) }
  }

  #toAnnotation(citation: Citation): UrlCitation | FileCitation {
    const { url, file, title = '' } = citation
    if (file) return { type: 'file_citation', file_id: file.id, filename: file.name, index: file.index }
    return { type: 'url_citation', url, title, ...this.#textPosition.toPartPosition(citation) }
  }

  #startCall(call: ToolCall): string {
    this.#calls ??= new CallItems(this.#items, this.#head)
    return this.#close('completed') + this.#calls.add(call)
  }

  #startItem(item: MessageItem | ReasoningItem): string {
    const closingEvents = this.#close('completed')
    this.#openItem = item
    return closingEvents + this.#items.addItem(item)
  }

  #close(status: 'completed' | 'incomplete'): string {
    const item = this.#openItem
    if (!item) return ''
    this.#openItem = undefined
    if (item.type === 'reasoning' && item.encrypted_content === undefined) {
      const encoded = encodeThought({ ...this.#thought, by: this.#head.model })
      if (encoded !== undefined) item.encrypted_content = encoded
    }
    const closingEvents = item.type === 'message' ? this.#items.finishPart(item) : this.#items.finishSummary(item)
    if (item.type === 'message') {
      item.status = status
      this.#citableMessage = item
    }
    return closingEvents + this.#items.finishItem(item)
  }
}

/** The error code of the protocol. */
function errorCodeFor(status: number): string {
  if (status === 429) return 'rate_limit_exceeded'
  // 408: the provider did not answer in time.
  return status >= 400 && status < 500 && status !== 408 ? 'invalid_prompt' : 'server_error'
}

/** Appends the provider's message to an error message, because the error of a response has no other field for it. */
function appendProviderMessage(message: string, raw: unknown): string {
  return typeof raw !== 'string' || message.includes(raw) ? message : `${message.replace(/\.$/, '')}: ${raw}`
}
