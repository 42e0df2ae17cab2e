import type { ChatRequest } from '#chat/chat-request.ts'
import type { ConversationField } from '#chat/fields/conversation-fields.ts'
import { outputLimitOf } from '#chat/tokens/output-limit.ts'
import { estimatePrompt, wordTokens } from '#chat/tokens/prompt-size.ts'
import type { Candidate } from '../../plan/plan.ts'
import type { Body } from '../../protocol/request-body.ts'

type Item = { role?: unknown; content?: unknown; output?: unknown } & Body

/** The share of the remaining context that the prompt may use, since tokens are estimated. */
const usableShare = 0.8

/**
 * The body without the middle of its conversation, so that it fits the largest context of the candidates. Whole turns
 * are dropped first, then the middle of the longest texts. Undefined if it fits unchanged, or if nothing can be dropped.
 * @param conversation the field of the body that has the conversation.
 */
export function compressPrompt(
  body: Body,
  conversation: ConversationField,
  chat: ChatRequest,
  candidates: readonly Candidate[],
): Body | undefined {
  const context = Math.max(
    0,
    ...candidates.flatMap(({ endpoints }) => endpoints.map(({ contextLength }) => contextLength)),
  )
  const room = context - (outputLimitOf(chat as Body) ?? 0)
  const estimate = estimatePromptTokens(chat)
  if (estimate <= room || room <= 0) return undefined
  const items = body[conversation]
  // In characters, because texts are cut by characters.
  const excess = Math.ceil((1 - (room * usableShare) / estimate) * measureSize(items))
  if (typeof items === 'string') return { ...body, [conversation]: shortenText(items, excess) }
  return Array.isArray(items) ? { ...body, [conversation]: dropMiddle(items as Item[], excess) } : undefined
}

/** The estimated tokens, at least the number of words: numbers and punctuation are short tokens. */
export const estimatePromptTokens = (chat: ChatRequest) => Math.max(estimatePrompt(chat), wordTokens(chat))

function dropMiddle(items: Item[], excess: number): Item[] {
  const turns = splitTurns(items)
  const { items: shorter, droppedLength } = dropMiddleTurns(turns, excess)
  return droppedLength < excess ? shortenLongestTexts(shorter, excess - droppedLength) : shorter
}

/** A turn is shortened if dropping it would lose this many characters more than necessary. */
const minTrimmedLength = 4000

/** The number of parts that always remain: the messages before the first turn of the user, the first turn, and the last turn. */
const minTurns = 3

/** The mark at a cut adds characters, so a cut saves less than requested. The next call of `compressPrompt` removes the rest. */
const minSavedShare = 0.9

/**
 * Drops whole turns from the middle outwards, until enough characters are gone. `turns[from]` to `turns[to - 1]` are dropped.
 * Shortens the last of them instead if it is much longer than necessary.
 */
function dropMiddleTurns(turns: Item[][], excess: number): { items: Item[]; droppedLength: number } {
  let from = Math.floor(turns.length / 2)
  let to = from
  let droppedLength = 0
  while (from + turns.length - to > minTurns && droppedLength < excess) {
    const remainingTurns = from + turns.length - to
    const dropsBackwards = from > Math.floor(remainingTurns / 2)
    const at = dropsBackwards ? from - 1 : to
    const turn = turns[at] ?? []
    const size = measureSize(turn)
    const missingLength = excess - droppedLength
    const shorter = size - missingLength > minTrimmedLength ? shortenLongestTexts(turn, missingLength) : turn
    const savedLength = size - measureSize(shorter)
    if (savedLength >= missingLength * minSavedShare)
      return { items: joinOuterTurns(turns.with(at, shorter), from, to), droppedLength: droppedLength + savedLength }
    if (dropsBackwards) from--
    else to++
    droppedLength += size
  }
  return { items: joinOuterTurns(turns, from, to), droppedLength }
}

/** Joins the turns before `from`, and those from `to` on. */
function joinOuterTurns(turns: Item[][], from: number, to: number): Item[] {
  return [...turns.slice(0, from), ...turns.slice(to)].flat()
}

/** Splits the conversation before each user message, so that no call is separated from its result. */
function splitTurns(items: Item[]): Item[][] {
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
const measureSize = (value: unknown) => JSON.stringify(value, withoutMedia)?.length ?? 0

const mediaNames: ReadonlySet<string> = new Set(['url', 'image_url', 'data', 'file_data'])
/** Bytes within the request, and not a URL or a word: no word has 200 letters. */
const base64 = /^(?:data:|[A-Za-z0-9+/]{200})/

function withoutMedia(name: string, value: unknown): unknown {
  return mediaNames.has(name) && typeof value === 'string' && base64.test(value) ? '' : value
}

/** Shortens the longest texts to a common length. */
function shortenLongestTexts(items: Item[], excess: number): Item[] {
  const lengths: number[] = []
  const measure = (text: string) => {
    lengths.push(text.length)
    return text
  }
  for (const item of items) mapTexts(item, measure)
  const maxLength = findMaxLength(lengths, excess)
  return items.map((item) => mapTexts(item, (text) => shortenText(text, text.length - maxLength)))
}

/** The largest length to which texts can be cut so that together they lose at least `excess` characters. */
function findMaxLength(lengths: number[], excess: number): number {
  const longestFirst = lengths.toSorted((a, b) => b - a)
  let sum = 0
  let count = 0
  for (const length of longestFirst) {
    sum += length
    count++
    const level = Math.floor((sum - excess) / count)
    if (level >= (longestFirst[count] ?? 0)) return Math.max(0, level)
  }
  return 0
}

/** Changes the texts of messages, tool results and the arguments of calls. */
function mapTexts(item: Item, change: (text: string) => string): Item {
  const { role, content, output, arguments: args, tool_calls: calls } = item
  if (role === 'system' || role === 'developer') return item
  return {
    ...item,
    ...(content !== undefined && { content: changeTexts(content, change) }),
    ...(output !== undefined && { output: changeTexts(output, change) }),
    ...(typeof args === 'string' && { arguments: changeJson(args, change) }),
    ...(Array.isArray(calls) && { tool_calls: calls.map((call: Body | null) => changeCall(call, change)) }),
  }
}

function changeTexts(content: unknown, change: (text: string) => string): unknown {
  if (typeof content === 'string') return change(content)
  if (!Array.isArray(content)) return content
  return content.map((part: Body | null) => {
    // A provider refuses its signed reasoning if the text differs.
    if (typeof part?.text === 'string' && part.signature === undefined) return { ...part, text: change(part.text) }
    if (part?.type === 'tool_result') return { ...part, content: changeTexts(part.content, change) }
    return part?.type === 'tool_use' ? { ...part, input: changeValue(part.input, change) } : part
  })
}

function changeCall(call: Body | null, change: (text: string) => string): Body | null {
  const called = (call?.function ?? {}) as Body
  if (typeof called.arguments !== 'string') return call
  return { ...call, function: { ...called, arguments: changeJson(called.arguments, change) } }
}

/** Arguments stay valid JSON: only the texts in them change. */
function changeJson(json: string, change: (text: string) => string): string {
  try {
    return JSON.stringify(changeValue(JSON.parse(json), change))
  } catch {
    return json
  }
}

function changeValue(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => changeValue(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, changeValue(property, change)]))
}

const gap = '\n…\n'

/** Cuts `by` characters out of the middle. */
function shortenText(text: string, by: number): string {
  if (by <= 0) return text
  const half = Math.max(0, Math.floor((text.length - by - gap.length) / 2))
  return `${text.slice(0, half)}${gap}${text.slice(text.length - half)}`.toWellFormed()
}
