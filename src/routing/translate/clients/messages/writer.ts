import type { AnswerEvent, Citation, TokenCounts } from '#chat/events.ts'
import { endsThought, type Thought, type ThoughtMark } from '#chat/thoughts.ts'
import type { AnswerHead, CostNote, StreamWriter } from '../../protocol.ts'
import { argumentsOf } from '../../providers/tool-arguments.ts'
import { errorOf } from './errors.ts'
import {
  type AnswerBlock,
  type CallBlock,
  citationIn,
  messageObject,
  messageUsage,
  type StopReason,
  type TextBlock,
  type ThinkingBlock,
} from './message.ts'
import { redactedData, signatureOf } from './thoughts.ts'

type Finish = Extract<AnswerEvent, { type: 'finish' }>['reason']
type Call = { block: CallBlock; json: string }

const stopReasons: Record<Finish, StopReason> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

/**
 * Writes one message as the stream that Anthropic's clients expect: one block after the other, each opened, added to and
 * closed. The message so far is kept beside it.
 */
export class MessageWriter implements StreamWriter {
  readonly #head: AnswerHead
  readonly #content: AnswerBlock[] = []
  readonly #calls = new Map<number, Call>()
  /** Calls that began while another was not whole: some upstreams add to several of them in turns. */
  #waiting: Call[] = []
  #open: AnswerBlock | undefined
  /** The call whose block is open. */
  #openCall: Call | undefined
  /** Identifies the open thought, if thoughts have no signature. */
  #mark: ThoughtMark | undefined
  /** Sources that were told before the text that they are of. */
  readonly #sources: object[] = []
  #begun = false
  #finish: Finish = 'stop'
  #tokens: TokenCounts | undefined

  constructor(head: AnswerHead) {
    this.#head = head
  }

  /** The whole message. */
  message(cost: CostNote | undefined): object {
    return messageObject(this.#head, this.#content, this.#stopReason, messageUsage(this.#tokens, cost))
  }

  readonly event = (event: AnswerEvent): string => this.#take(event)

  readonly end = (cost: CostNote | undefined): string => {
    const closed = this.#begin() + this.#close() + this.#writeWaiting() + this.#citeLate()
    const delta = { stop_reason: this.#stopReason, stop_sequence: null, stop_details: null, container: null }
    const usage = messageUsage(this.#tokens, cost)
    return closed + say('message_delta', { delta, usage }) + say('message_stop', {})
  }

  readonly fail = (error: { code: number; message: string; metadata?: Record<string, unknown> }): string =>
    say('error', { error: errorOf(error) })

  /** Some upstreams say `stop` of an answer that calls. */
  get #stopReason(): StopReason {
    return this.#finish === 'stop' && this.#calls.size > 0 ? 'tool_use' : stopReasons[this.#finish]
  }

  #begin(): string {
    if (this.#begun) return ''
    this.#begun = true
    return say('message_start', { message: messageObject(this.#head, [], null, messageUsage(undefined)) })
  }

  #take(event: AnswerEvent): string {
    switch (event.type) {
      case 'text':
      case 'refusal':
        return event.text ? this.#speak(event.text) : ''
      case 'reasoning':
        return this.#think(event)
      case 'tool_call':
        return this.#call(event.index, event.id, event.name)
      case 'tool_arguments':
        return this.#argue(event.index, event.text)
      case 'citation':
        return this.#cite(event)
      case 'image':
        return this.#speak(`\n![image](${event.url})\n`)
      case 'finish':
        this.#finish = event.reason
        return ''
      case 'usage':
        this.#tokens = event.tokens
        return ''
      case 'started':
      case 'piece':
      case 'error':
        return ''
      default:
        return event satisfies never
    }
  }

  #speak(text: string): string {
    const opened = this.#open?.type === 'text' ? '' : this.#start({ type: 'text', text: '', citations: null })
    const block = this.#open as TextBlock
    block.text += text
    return opened + this.#add({ type: 'text_delta', text }) + this.#citeAll(block)
  }

  /** A thought that nobody may read is one of its own kind; a mark on one that was read is its signature. */
  #think(piece: Thought): string {
    const isEnd = endsThought(piece)
    if (!piece.text && !isEnd) return ''
    const isReadable = piece.text !== '' || this.#open?.type === 'thinking' || piece.encrypted === undefined
    if (!isReadable) {
      const data = redactedData(piece)
      return data === undefined ? '' : this.#start({ type: 'redacted_thinking', data }) + this.#close()
    }
    const opened = this.#open?.type === 'thinking' ? '' : this.#start({ type: 'thinking', thinking: '', signature: '' })
    const block = this.#open as ThinkingBlock
    block.thinking += piece.text
    if (piece.field !== undefined) this.#mark = { ...piece, by: this.#head.model }
    const said = piece.text ? this.#add({ type: 'thinking_delta', thinking: piece.text }) : ''
    if (!isEnd) return opened + said
    this.#mark = piece
    return opened + said + this.#close()
  }

  #sign(block: ThinkingBlock): string {
    const signature = this.#mark && signatureOf(this.#mark)
    this.#mark = undefined
    if (!signature) return ''
    block.signature = signature
    return this.#add({ type: 'signature_delta', signature })
  }

  #citeAll(block: TextBlock): string {
    if (this.#sources.length === 0) return ''
    const citations = this.#sources.splice(0)
    addTo(block, citations)
    return citations.map((citation) => this.#add({ type: 'citations_delta', citation })).join('')
  }

  /** Sources that were told after their text, which is closed by then: they still are its. */
  #citeLate(): string {
    const at = this.#content.findLastIndex(({ type }) => type === 'text')
    if (this.#sources.length === 0 || at === -1) return ''
    const block = this.#content[at] as TextBlock
    const citations = this.#sources.splice(0)
    addTo(block, citations)
    const told = (citation: object) =>
      say('content_block_delta', { index: at, delta: { type: 'citations_delta', citation } })
    return citations.map(told).join('')
  }

  #cite({ type: _type, ...source }: { type: string } & Citation): string {
    const citation = citationIn(source)
    if (this.#open?.type !== 'text') {
      this.#sources.push(citation)
      return ''
    }
    addTo(this.#open, [citation])
    return this.#add({ type: 'citations_delta', citation })
  }

  #call(index: number, id: string, name: string): string {
    const call: Call = { block: { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } }, json: '' }
    const before = this.#openCall
    this.#calls.set(index, call)
    // Behind one that waits it waits as well: to see each time whether the open one is whole may take long.
    if (!before || (this.#waiting.length === 0 && isWhole(before.json))) return this.#start(call.block, call)
    this.#waiting.push(call)
    return ''
  }

  #argue(index: number, partial_json: string): string {
    const call = this.#calls.get(index)
    if (!call) return ''
    call.json += partial_json
    return this.#open === call.block ? this.#add({ type: 'input_json_delta', partial_json }) : ''
  }

  #writeWaiting(): string {
    let said = ''
    for (const call of this.#waiting) {
      const { block, json } = call
      said += this.#start(block, call)
      if (json) said += this.#add({ type: 'input_json_delta', partial_json: json })
      said += this.#close()
    }
    this.#waiting = []
    return said
  }

  #start(block: AnswerBlock, call?: Call): string {
    const before = this.#begin() + this.#close()
    this.#open = block
    this.#openCall = call
    this.#content.push(block)
    return before + say('content_block_start', { index: this.#content.length - 1, content_block: block })
  }

  #add(delta: object): string {
    return say('content_block_delta', { index: this.#content.length - 1, delta })
  }

  #close(): string {
    const block = this.#open
    if (!block) return ''
    const call = this.#openCall
    if (call) call.block.input = argumentsOf(call.json)
    const signed = block.type === 'thinking' ? this.#sign(block) : ''
    this.#open = undefined
    this.#openCall = undefined
    return signed + say('content_block_stop', { index: this.#content.length - 1 })
  }
}

function addTo(block: TextBlock, citations: object[]): void {
  block.citations ??= []
  for (const citation of citations) block.citations.push(citation)
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json || '{}')
    return true
  } catch {
    return false
  }
}

function say(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}
