import type {
  CallItem,
  CustomCallItem,
  ImageItem,
  MessageItem,
  OutputItem,
  ReasoningItem,
  ResponseState,
  TextPart,
} from './object.ts'

/**
 * Writes the events of the output items of one response with sequence numbers. Also collects the items, and extends each item
 * when an event is written.
 */
export class ItemEvents {
  readonly #output: ResponseState['output']
  /** The index of each item in the output, which can have thousands. */
  readonly #indexes = new Map<OutputItem, number>()
  readonly #idSuffix: string
  #sequence: number

  /** @param output collects the items. @param sequence the number of the first event. */
  constructor(output: ResponseState['output'], responseId: string, sequence: number) {
    this.#output = output
    this.#idSuffix = responseId.replace(/^gen-/, '')
    this.#sequence = sequence
  }

  write(type: string, fields: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: this.#sequence++ })}\n\n`
  }

  /** Returns the sequence number for an event that the caller writes. */
  nextNumber(): number {
    return this.#sequence++
  }

  /** Registers an item that the client already has. */
  register(item: OutputItem, index: number): void {
    this.#indexes.set(item, index)
  }

  /** The id of the next item, with the prefix of its type. */
  newId(prefix: string): string {
    return `${prefix}_${this.#idSuffix}_${this.#output.length}`
  }

  addItem(item: OutputItem): string {
    this.#indexes.set(item, this.#output.push(item) - 1)
    return this.write('response.output_item.added', { output_index: this.#indexOf(item), item })
  }

  finishItem(item: OutputItem): string {
    return this.write('response.output_item.done', { output_index: this.#indexOf(item), item })
  }

  /** Announces a new part of the message. */
  addPart(message: MessageItem, part: TextPart): string {
    return this.write('response.content_part.added', { ...this.#positionOf(message), part })
  }

  addText(message: MessageItem, { type }: TextPart, delta: string): string {
    const logprobs = type === 'output_text' ? { logprobs: [] } : {}
    return this.write(`response.${type}.delta`, { ...this.#positionOf(message), delta, ...logprobs })
  }

  /** Announces the last citation of a part. */
  addCitation(message: MessageItem, { annotations }: Extract<TextPart, { type: 'output_text' }>): string {
    const position = { ...this.#positionOf(message), annotation_index: annotations.length - 1 }
    return this.write('response.output_text.annotation.added', { ...position, annotation: annotations.at(-1) })
  }

  /** Closes the last part of a message, if there is one. */
  finishPart(message: MessageItem): string {
    const part = message.content.at(-1)
    if (!part) return ''
    const position = this.#positionOf(message)
    const whole = part.type === 'refusal' ? { refusal: part.refusal } : { text: part.text, logprobs: [] }
    return (
      this.write(`response.${part.type}.done`, { ...position, ...whole }) +
      this.write('response.content_part.done', { ...position, part })
    )
  }

  /** Extends the summary of reasoning, which has one part. */
  addSummary(item: ReasoningItem, delta: string): string {
    const position = this.#positionOfSummary(item)
    const [existing] = item.summary
    const part = existing ?? { type: 'summary_text', text: '' }
    const partEvent = existing ? '' : this.write('response.reasoning_summary_part.added', { ...position, part })
    if (!existing) item.summary.push(part)
    part.text += delta
    return partEvent + this.write('response.reasoning_summary_text.delta', { ...position, delta })
  }

  finishSummary(item: ReasoningItem): string {
    const [part] = item.summary
    if (!part) return ''
    const position = this.#positionOfSummary(item)
    return (
      this.write('response.reasoning_summary_text.done', { ...position, text: part.text }) +
      this.write('response.reasoning_summary_part.done', { ...position, part })
    )
  }

  /** Extends the arguments of a tool call. */
  addInput(item: CallItem | CustomCallItem, delta: string): string {
    const isCustom = item.type === 'custom_tool_call'
    if (isCustom) item.input += delta
    else item.arguments += delta
    const type = isCustom ? 'response.custom_tool_call_input.delta' : 'response.function_call_arguments.delta'
    return this.write(type, { item_id: item.id, output_index: this.#indexOf(item), delta })
  }

  finishInput(item: CallItem | CustomCallItem): string {
    const position = { item_id: item.id, output_index: this.#indexOf(item) }
    if (item.type === 'custom_tool_call')
      return this.write('response.custom_tool_call_input.done', { ...position, input: item.input })
    const { name, arguments: args } = item
    return this.write('response.function_call_arguments.done', { ...position, name, arguments: args })
  }

  /** Adds an image, given as a data URL. */
  addImage(url: string): string {
    const id = this.newId('ig')
    const item: ImageItem = { id, type: 'image_generation_call', status: 'in_progress', result: null }
    const addedEvent = this.addItem(item)
    item.status = 'completed'
    item.result = url.replace(/^data:[^,]*;base64,/, '')
    const position = { output_index: this.#indexOf(item), item_id: id }
    return addedEvent + this.write('response.image_generation_call.completed', position) + this.finishItem(item)
  }

  #positionOf(message: MessageItem): object {
    return { item_id: message.id, output_index: this.#indexOf(message), content_index: message.content.length - 1 }
  }

  #positionOfSummary(item: ReasoningItem): object {
    return { item_id: item.id, output_index: this.#indexOf(item), summary_index: 0 }
  }

  #indexOf(item: OutputItem): number {
    const index = this.#indexes.get(item)
    if (index === undefined) throw new Error('the item was not added')
    return index
  }
}
