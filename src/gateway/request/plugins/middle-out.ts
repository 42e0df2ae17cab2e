import { answerLimitOf } from '#chat/answer-limit.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { ConversationField } from '#chat/conversation-fields.ts'
import { estimatePrompt, wordTokens } from '#chat/prompt-size.ts'
import type { Candidate } from '../../plan/plan.ts'
import type { Body } from '../../protocol/protocol.ts'

type Item = { role?: unknown; content?: unknown; output?: unknown } & Body

/** The share of the remaining context that the prompt may use, since tokens are estimated. */
const share = 0.8

/**
 * The body without the middle of its conversation, so that it fits the largest context of the candidates. Whole turns
 * are dropped first, then the middle of the longest texts. Undefined if it fits unchanged, or if nothing can be dropped.
 * @param conversation the field of the body that has the conversation.
 */
export function middleOut(
  body: Body,
  conversation: ConversationField,
  chat: ChatRequest,
  candidates: readonly Candidate[],
): Body | undefined {
  const context = Math.max(0, ...candidates.flatMap(({ endpoints }) => endpoints.map((one) => one.contextLength)))
  const room = context - (answerLimitOf(chat as Body) ?? 0)
  const estimate = promptTokensOf(chat)
  if (estimate <= room || room <= 0) return undefined
  const items = body[conversation]
  const excess = Math.ceil((1 - (room * share) / estimate) * sizeOf(items))
  if (typeof items === 'string') return { ...body, [conversation]: shortened(items, excess) }
  return Array.isArray(items) ? { ...body, [conversation]: withoutMiddle(items as Item[], excess) } : undefined
}

/** The estimated tokens, at least the number of words: numbers and punctuation are short tokens. */
export const promptTokensOf = (chat: ChatRequest) => Math.max(estimatePrompt(chat), wordTokens(chat))

function withoutMiddle(items: Item[], excess: number): Item[] {
  const turns = turnsOf(items)
  const { items: shorter, dropped } = dropMiddleTurns(turns, excess)
  return dropped < excess ? withoutMiddles(shorter, excess - dropped) : shorter
}

/** A turn is shortened if dropping it would lose this many characters more than necessary. */
const minTrimmedLength = 4000

/**
 * Drops whole turns from the middle outwards until enough characters are gone, and shortens a long one. At least three
 * turns remain.
 */
function dropMiddleTurns(turns: Item[][], excess: number): { items: Item[]; dropped: number } {
  let from = Math.floor(turns.length / 2)
  let to = from
  let dropped = 0
  while (from + turns.length - to > 3 && dropped < excess) {
    const isBefore = Math.floor((from + turns.length - to) / 2) < from
    const at = isBefore ? from - 1 : to
    const size = sizeOf(turns[at])
    const shorter =
      size - (excess - dropped) > minTrimmedLength ? withoutMiddles(turns[at]!, excess - dropped) : turns[at]!
    const saved = size - sizeOf(shorter)
    // The mark at a cut adds some characters, which the next cut compensates.
    if (saved >= (excess - dropped) * 0.9)
      return { items: withTurn(turns, from, to, at, shorter), dropped: dropped + saved }
    if (isBefore) from--
    else to++
    dropped += size
  }
  return { items: [...turns.slice(0, from), ...turns.slice(to)].flat(), dropped }
}

/** The items of all turns but those between, with one turn replaced. */
function withTurn(turns: Item[][], from: number, to: number, at: number, turn: Item[]): Item[] {
  const all = turns.with(at, turn)
  return [...all.slice(0, from), ...all.slice(to)].flat()
}

/** Splits the conversation before each user message, so that no call is separated from its result. */
function turnsOf(items: Item[]): Item[][] {
  const turns: Item[][] = [[]]
  for (const item of items) {
    if (startsTurn(item)) turns.push([])
    turns.at(-1)!.push(item)
  }
  return turns
}

function startsTurn({ role, content }: Item): boolean {
  const isResult = Array.isArray(content) && content.some((part) => (part as Body | null)?.type === 'tool_result')
  return role === 'user' && !isResult
}

/** The characters of a value without its media, whose tokens do not depend on their length. */
const sizeOf = (value: unknown) => JSON.stringify(value, withoutMedia)?.length ?? 0

const mediaNames: ReadonlySet<string> = new Set(['url', 'image_url', 'data', 'file_data'])
const base64 = /^(?:data:|[A-Za-z0-9+/]{200})/

function withoutMedia(name: string, value: unknown): unknown {
  return mediaNames.has(name) && typeof value === 'string' && base64.test(value) ? '' : value
}

/** Shortens the longest texts to a common length. */
function withoutMiddles(items: Item[], excess: number): Item[] {
  const lengths: number[] = []
  const measure = (text: string) => {
    lengths.push(text.length)
    return text
  }
  for (const item of items) mapTexts(item, measure)
  const maxLength = levelFor(lengths, excess)
  return items.map((item) => mapTexts(item, (text) => shortened(text, text.length - maxLength)))
}

/** The largest length to which texts can be cut so that together they lose at least `excess` characters. */
function levelFor(lengths: number[], excess: number): number {
  const falling = lengths.toSorted((a, b) => b - a)
  let sum = 0
  let count = 0
  for (const length of falling) {
    sum += length
    count++
    const level = Math.floor((sum - excess) / count)
    if (level >= (falling[count] ?? 0)) return Math.max(0, level)
  }
  return 0
}

/** Changes the texts of messages, tool results and the arguments of calls. */
function mapTexts(item: Item, change: (text: string) => string): Item {
  const { role, content, output, arguments: args, tool_calls: calls } = item
  if (role === 'system' || role === 'developer') return item
  return {
    ...item,
    ...(content !== undefined && { content: changed(content, change) }),
    ...(output !== undefined && { output: changed(output, change) }),
    ...(typeof args === 'string' && { arguments: changedJson(args, change) }),
    ...(Array.isArray(calls) && { tool_calls: calls.map((call: Body | null) => changedCall(call, change)) }),
  }
}

function changed(content: unknown, change: (text: string) => string): unknown {
  if (typeof content === 'string') return change(content)
  if (!Array.isArray(content)) return content
  return content.map((part: Body | null) => {
    if (typeof part?.text === 'string' && part.signature === undefined) return { ...part, text: change(part.text) }
    if (part?.type === 'tool_result') return { ...part, content: changed(part.content, change) }
    return part?.type === 'tool_use' ? { ...part, input: changedValue(part.input, change) } : part
  })
}

function changedCall(call: Body | null, change: (text: string) => string): Body | null {
  const { arguments: args } = (call?.function ?? {}) as { arguments?: unknown }
  if (typeof args !== 'string') return call
  return { ...call, function: { ...(call!.function as Body), arguments: changedJson(args, change) } }
}

/** Arguments stay valid JSON: only the texts in them change. */
function changedJson(json: string, change: (text: string) => string): string {
  try {
    return JSON.stringify(changedValue(JSON.parse(json), change))
  } catch {
    return json
  }
}

function changedValue(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => changedValue(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, changedValue(one, change)]))
}

const gap = '\n…\n'

function shortened(text: string, by: number): string {
  if (by <= 0) return text
  const half = Math.max(0, Math.floor((text.length - by - gap.length) / 2))
  return `${text.slice(0, half)}${gap}${text.slice(text.length - half)}`.toWellFormed()
}
