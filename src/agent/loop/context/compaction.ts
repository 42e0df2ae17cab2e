import type { Now } from '#platform/core/clock.ts'
import { bytesPerToken, estimateTokens } from '#platform/text/token-estimate.ts'
import type { Message, Model } from '../../model/model.ts'
import { shorten } from '../../sandbox/bounded-text.ts'
import type { Notify } from '../agent-event.ts'
import { recordUsage } from '../record-usage.ts'
import type { SessionLog } from '../session/session-store.ts'

type CompactionDeps = {
  model: Model
  windowTokens: number
  /** Estimated tokens of the system prompt and the tools. */
  overheadTokens: number
  log: SessionLog
  notify: Notify
  signal: AbortSignal
  now: Now
}

/** Share of the window at which the context is compacted, so that the response still fits. */
const compactionThreshold = 0.8
/** Share of the window for the newest messages, which are not summarized. */
const recentShare = 0.3
/** Share of the window for the text to summarize. A longer text loses its middle. */
const summarizedShare = 0.5

const instruction = [
  'Summarise the conversation below, between a user and an assistant that works on files with tools, so that the',
  'assistant can continue from your summary alone. Keep: what the user wants, in the user’s words where they matter;',
  'decisions and answers given; which files were read or changed and what is in them that still matters; commands and',
  'their results; what is done, what failed, and what comes next. Leave out pleasantries. Do not answer the user.',
].join(' ')

/** Compacts the context if it is close to filling the model's window. */
export async function fitContext(deps: CompactionDeps): Promise<void> {
  if (countTokens(deps) > deps.windowTokens * compactionThreshold) await compact(deps)
}

/** The most times that the assumed window is halved. */
const maxHalvings = 6

/**
 * Shrinks a context that the model refused as too long, regardless of the window that the catalogue reports. `attempt` counts
 * from 1; each attempt shrinks the context further. @returns whether the context is smaller now.
 */
export async function shrinkContext(deps: CompactionDeps, attempt: number): Promise<boolean> {
  const contextTokens = Math.min(deps.windowTokens, countTokens(deps))
  for (let halvings = attempt; halvings <= maxHalvings; halvings++)
    if (await compact({ ...deps, windowTokens: contextTokens / 2 ** halvings })) return true
  return false
}

/** Lengths, in bytes, of the beginning and the end of the user's latest message, which is repeated after the summary. */
const requestExcerpt = { head: 6_000, tail: 2_000 }

/** Replaces the older messages of the context by the model's summary. @returns whether there were older messages. */
async function compact(deps: CompactionDeps): Promise<boolean> {
  const { context } = deps.log.session
  const from = firstRetainedIndex(context, deps.windowTokens * recentShare)
  const older = context.slice(0, from)
  if (!older.length) return false
  const summary = await summarize(deps, older)
  const request = older.findLast((message) => message.role === 'user' && !message.isReminder)?.text ?? ''
  const text = `${summaryStart}\n\n${summary}\n\nThe latest message of the user before this summary:\n${shorten(request, requestExcerpt)}`
  await deps.log.add({ type: 'context.compacted', summary: text, kept: context.length - from, at: deps.now() })
  return true
}

const summaryStart = 'This conversation was long; its older part is summarised here.'

/** Summarizes messages with a model call. If it fails, returns a quarter of their text: its beginning and its end. */
async function summarize(deps: CompactionDeps, older: Message[]): Promise<string> {
  const maxBytes = Math.floor(deps.windowTokens * summarizedShare * bytesPerToken.average)
  const text = shorten(older.map(formatMessage).join('\n\n'), { head: maxBytes / 2, tail: maxBytes / 2 })
  const messages: Message[] = [
    { role: 'system', text: instruction },
    { role: 'user', text },
  ]
  let summary = ''
  try {
    for await (const event of deps.model({ messages, tools: [], signal: deps.signal })) {
      if (event.type === 'text.added') summary += event.text
      if (event.type === 'message.completed') await recordUsage(deps, event)
    }
  } catch {
    deps.signal.throwIfAborted()
  }
  return summary.trim() || shorten(text, { head: maxBytes / 8, tail: maxBytes / 8 })
}

/** @returns the index of the first of the newest messages that fit into `tokens`; never separates a result from its call. */
function firstRetainedIndex(messages: Message[], tokens: number): number {
  let from = messages.length
  let size = 0
  for (let index = messages.length - 1; index >= 0; index--) {
    size += estimateMessageTokens(messages[index]!)
    if (size > tokens) break
    if (messages[index]!.role !== 'tool') from = index
  }
  return from
}

/** Counts the context: the model's own count if there is one, plus an estimate of the messages since. */
function countTokens({ log, overheadTokens }: Pick<CompactionDeps, 'log' | 'overheadTokens'>): number {
  const { contextCount, context } = log.session
  const since = contextCount ? context.slice(contextCount.messages) : context
  return (
    (contextCount?.tokens ?? overheadTokens) + since.reduce((sum, message) => sum + estimateMessageTokens(message), 0)
  )
}

/** Estimated tokens of an image. */
const imageTokens = 1_500
/** Estimated tokens of a message's role and delimiters. */
const delimiterTokens = 8

function estimateMessageTokens(message: Message): number {
  const images = 'images' in message ? (message.images?.length ?? 0) : 0
  return estimateTokens(formatMessage(message).length) + images * imageTokens + delimiterTokens
}

function formatMessage(message: Message): string {
  if (message.role === 'tool') return `[result] ${message.text}`
  const calls = message.role === 'assistant' ? (message.calls ?? []) : []
  return [`[${message.role}] ${message.text}`, ...calls.map((call) => `[call] ${call.name} ${call.arguments}`)].join(
    '\n',
  )
}
