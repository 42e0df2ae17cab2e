import { isObject } from '#platform/core/is-object.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { EventFilter } from '../../../protocol/response-normalization.ts'
import { type Fields, withFields } from '../../with-fields.ts'
import { mapChoices, toFinalEvents } from '../chunk-events.ts'
import { measureHeldEnd } from '../held-end.ts'

/** The names of tags that models, and Amazon Bedrock (`reasoning`), put around their reasoning. */
const tagNames = ['think', 'thinking', 'thought', 'reasoning']
const openingTags = tagNames.map((name) => `<${name}>`)

/** More white space than any model writes before its reasoning. */
const maxBlank = 64

/** The most white space before a closing tag that is held back, to be removed. Earlier white space stays in the reasoning. */
const maxHeldBlank = 11

/** Splits the text of one response, as it arrives, into the reasoning between tags at its start and the rest. */
class TagSplitter {
  #state: 'start' | 'inside' | 'after' | 'done'
  /** Text that can be a part of a tag. */
  #heldText = ''
  #closingTag = ''
  #hasReasoning = false

  /** @param state `done` for a response whose reasoning is already in a separate field. */
  constructor(state: 'start' | 'done' = 'start') {
    this.#state = state
  }

  /** Whether the rest of the text needs no splitting. */
  get isDone(): boolean {
    return this.#state === 'done'
  }

  push(text: string): { reasoning: string; text: string } {
    const held = this.#heldText + text
    this.#heldText = ''
    if (this.#state === 'start') return this.#readStart(held)
    if (this.#state === 'inside') return this.#readInside(held)
    return { reasoning: '', text: this.#state === 'after' ? this.#readAfter(held) : held }
  }

  /** The held text, at the end of the response. */
  end(): { reasoning: string; text: string } {
    const held = this.#heldText
    this.#heldText = ''
    const isReasoning = this.#state === 'inside'
    this.#state = 'done'
    return isReasoning ? { reasoning: held, text: '' } : { reasoning: '', text: held }
  }

  #readStart(text: string): { reasoning: string; text: string } {
    const content = text.trimStart()
    const tag = findOpeningTag(text)
    if (tag) {
      this.#state = 'inside'
      this.#closingTag = `</${tag.slice(1)}`
      return this.#readInside(content.slice(tag.length))
    }
    if (text.length < maxBlank && openingTags.some((one) => one.startsWith(content))) {
      this.#heldText = text
      return { reasoning: '', text: '' }
    }
    this.#state = 'done'
    return { reasoning: '', text }
  }

  #readInside(text: string): { reasoning: string; text: string } {
    const end = text.indexOf(this.#closingTag)
    if (end !== -1) {
      this.#state = 'after'
      const rest = text.slice(end + this.#closingTag.length)
      return { reasoning: this.#withoutLeadingBlank(text.slice(0, end).trimEnd()), text: this.#readAfter(rest) }
    }
    const complete = text.length - measureHeldEnd(text, this.#closingTag, maxHeldBlank)
    this.#heldText = text.slice(complete)
    return { reasoning: this.#withoutLeadingBlank(text.slice(0, complete)), text: '' }
  }

  #withoutLeadingBlank(reasoning: string): string {
    const result = this.#hasReasoning ? reasoning : reasoning.trimStart()
    this.#hasReasoning ||= result !== ''
    return result
  }

  #readAfter(text: string): string {
    const content = text.trimStart()
    if (content !== '') this.#state = 'done'
    return content
  }
}

/** The opening tag at the start of a text, after white space. */
function findOpeningTag(text: string): string | undefined {
  const content = text.trimStart()
  if (text.length - content.length > maxBlank) return undefined
  return openingTags.find((tag) => content.startsWith(tag))
}

type Choice = { index?: unknown; finish_reason?: unknown; delta?: unknown; message?: unknown } & Fields

/**
 * The response with its reasoning in a separate field, in which the readers and rewriters expect it. The same response if its
 * text does not start with reasoning between tags.
 */
export function separateReasoning(completion: unknown): unknown {
  const { choices } = (completion ?? {}) as { choices?: unknown }
  if (!Array.isArray(choices)) return completion
  const separated = mapItems(choices as Choice[], separateInChoice)
  return separated === choices ? completion : { ...(completion as Fields), choices: separated }
}

function separateInChoice(choice: Choice): Choice {
  const message = choice?.message
  if (!isObject(message) || typeof message.content !== 'string') return choice
  if (!findOpeningTag(message.content) || hasReasoning(message)) return choice
  const splitter = new TagSplitter()
  const [first, last] = [splitter.push(message.content), splitter.end()]
  const delta = toDelta({ reasoning: first.reasoning + last.reasoning, text: first.text + last.text })
  return { ...choice, message: { ...message, content: '', ...delta } }
}

const hasReasoning = ({ reasoning, reasoning_content }: Fields) => Boolean(reasoning) || Boolean(reasoning_content)

/** The start of the text in an event. Most servers of Go write `<` as an escape. */
const textStart = /"content"\s*:\s*"((?:\s|\\[nrt])*)(?:(<|\\u003c)|([^"])|")/i
/** Matches reasoning in a separate field. Tags in the text are not searched then. */
const otherReasoning = /"reasoning(?:_content)?"\s*:\s*"[^"]/

/**
 * Separates the reasoning of a stream. Reads only events up to the end of the reasoning. With several choices, each can
 * start after others have ended.
 */
export class ReasoningSeparator implements EventFilter {
  readonly #choiceCount: number
  readonly #splitters = new Map<unknown, TagSplitter>()
  #lastChunk: Fields | undefined

  /** Whether the rest of the stream needs no changes. */
  isDone = false

  /** @param choiceCount how many choices the request asks for. Further choices stay unchanged. */
  constructor(choiceCount: number) {
    this.#choiceCount = choiceCount
  }

  filter(event: SseEvent): SseEvent {
    if (this.#choiceCount === 1 && this.#splitters.size === 0 && !this.#canStart(event.data)) return event
    const separated = mapChoices(event, (choice, chunk) => {
      this.#lastChunk = chunk
      return this.#separate(choice)
    })
    const hasAllChoices = this.#splitters.size >= this.#choiceCount
    this.isDone = hasAllChoices && this.#splitters.values().every((splitter) => splitter.isDone)
    return separated
  }

  /** The held text of a stream that ends without a finish reason. */
  flush(): SseEvent[] {
    return toFinalEvents(this.#lastChunk, this.#splitters, (splitter) => toDelta(splitter.end()))
  }

  /** Whether a text starts in an event that can be the tag. Only for a single choice: any other text ends the work. */
  #canStart(data: string): boolean {
    if (otherReasoning.test(data)) this.isDone = true
    const [found, blank, tag, other] = textStart.exec(data) ?? []
    if (other !== undefined) this.isDone = true
    return found !== undefined && !this.isDone && (tag !== undefined || blank !== '')
  }

  #separate(choice: Choice): Choice {
    if (!isObject(choice.delta)) return choice
    const { delta, finish_reason, index } = choice
    const text = delta.content
    if (hasReasoning(delta) && !this.#splitters.has(index)) this.#splitters.set(index, new TagSplitter('done'))
    if (typeof text !== 'string' && !(finish_reason && this.#splitters.has(index))) return choice
    if (this.#splitters.size >= this.#choiceCount && !this.#splitters.has(index)) return choice
    const splitter = this.#splitters.getOrInsertComputed(index, () => new TagSplitter())
    if (splitter.isDone) return choice
    const parts = splitter.push(typeof text === 'string' ? text : '')
    const rest = finish_reason ? splitter.end() : { reasoning: '', text: '' }
    const separated = { reasoning: parts.reasoning + rest.reasoning, text: parts.text + rest.text }
    if (separated.text === (text ?? '') && separated.reasoning === '') return choice
    return { ...choice, delta: withFields(delta, { content: '', ...toDelta(separated) }) }
  }
}

function toDelta({ reasoning, text }: { reasoning: string; text: string }): Fields {
  return { ...(text !== '' && { content: text }), ...(reasoning !== '' && { tagged_reasoning: reasoning }) }
}
