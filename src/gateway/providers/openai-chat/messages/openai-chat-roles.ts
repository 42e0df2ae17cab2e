import { mapItems } from '#platform/json/map-texts.ts'
import type { Body } from '../../../protocol/request-body.ts'
import type { ChatCompatibility } from '../openai-chat-compatibility.ts'

type Message = { role?: unknown; content?: unknown } & Body
type Part = { type?: unknown; text?: unknown }

/** Adapts roles and order of messages to the template of a chat server. */
export function withAcceptedRoles(messages: Message[], compatibility: ChatCompatibility): Message[] {
  let current = compatibility.developerRole ? messages : mapItems(messages, toSystem)
  if (!compatibility.lateSystemMessages) current = withSystemFirst(current)
  return compatibility.repeatedRoles ? current : withoutRepeats(current)
}

const toSystem = (message: Message): Message =>
  message?.role === 'developer' ? { ...message, role: 'system' } : message

const isInstruction = (message: Message) => message?.role === 'system' || message?.role === 'developer'

/**
 * Many templates accept only one system message, at the start. Those at the start are merged. A later one becomes a part
 * of the adjacent user message or tool result, so that it keeps its position.
 */
function withSystemFirst(messages: Message[]): Message[] {
  const first = messages.findIndex((message) => !isInstruction(message))
  const start = first < 0 ? messages.length : first
  if (start < 2 && !messages.some((message, at) => at > start && isInstruction(message))) return messages
  const rest = messages.slice(start)
  const leading = messages.slice(0, start)
  const system = leading.length < 2 ? leading : [joinInto(leading.at(-1)!, leading)]
  return [...system, ...withInstructionsMoved(rest)]
}

function withInstructionsMoved(messages: Message[]): Message[] {
  const result: Message[] = []
  let waiting: Message[] = []
  for (const message of messages) {
    if (isInstruction(message)) waiting.push(message)
    else {
      result.push(...placeInstructions(waiting, result, message))
      waiting = []
    }
  }
  result.push(...placeInstructions(waiting, result, undefined))
  return result
}

/**
 * Puts instructions into the next user message. If the next message is not one, puts them into the user message or tool result before
 * or after them. If there is none of these either, creates a separate message. A separate message between a tool call and its result
 * would break the order that templates require.
 */
function placeInstructions(instructions: Message[], before: Message[], next: Message | undefined): Message[] {
  const following = next ? [next] : []
  if (instructions.length === 0) return following
  const marked = instructions.map(toSystemReminder)
  if (next?.role === 'user') return [joinInto(next, [...marked, next])]
  const last = before.at(-1)
  if (last?.role === 'user' || last?.role === 'tool') {
    before[before.length - 1] = joinInto(last, [last, ...marked])
    return following
  }
  if (next?.role === 'tool') return [joinInto(next, [next, ...marked])]
  return [joinInto(marked[0]!, marked), ...following]
}

/** An instruction in a user message, marked as agents such as Claude Code mark theirs, so that models know such marks. */
function toSystemReminder({ content }: Message): Message {
  const openingTag = { type: 'text', text: '<system-reminder>' }
  const close = { type: 'text', text: '</system-reminder>' }
  if (!Array.isArray(content))
    return { role: 'user', content: `<system-reminder>\n${content ?? ''}\n</system-reminder>` }
  return { role: 'user', content: [openingTag, ...content, close] }
}

/** The base message with the contents of all messages. */
function joinInto(base: Message, messages: Message[]): Message {
  return { ...base, content: joinContents(messages) }
}

function joinContents(messages: Message[]): string | Part[] {
  const contents = messages.map(({ content }) => content)
  const isText = contents.every((content) => typeof content === 'string' || content == null)
  return isText
    ? contents.filter((text) => text != null && text !== '').join('\n\n')
    : contents.flatMap((one) => (Array.isArray(one) ? (one as Part[]) : [{ type: 'text', text: one ?? '' }]))
}

/** Merges consecutive messages of the user or the model, because many templates require alternating roles. */
function withoutRepeats(messages: Message[]): Message[] {
  if (!messages.some((message, at) => isRepeat(messages[at - 1], message))) return messages
  // Merges each run at once, because merging in pairs would take quadratic time.
  const runs: Message[][] = []
  for (const message of messages) {
    const run = runs.at(-1)
    if (run && isRepeat(run[0], message)) run.push(message)
    else runs.push([message])
  }
  return runs.map((run) => {
    if (run.length === 1) return run[0]!
    return run[0]!.role === 'user' ? joinInto(run.at(-1)!, run) : mergeResponses(run)
  })
}

const isRepeat = (previous: Message | undefined, message: Message) =>
  (previous?.role === 'user' || previous?.role === 'assistant') &&
  message?.role === previous.role &&
  message.name === previous.name

/** Merges responses in a row into one, with the texts, the reasoning and the calls of all of them. */
function mergeResponses(messages: Message[]): Message {
  const calls = messages.flatMap(({ tool_calls: some }) => (Array.isArray(some) ? some : []))
  const response: Message = Object.assign({}, ...messages, { content: joinContents(messages) })
  for (const field of ['reasoning', 'reasoning_content'])
    if (field in response) response[field] = messages.map((message) => message[field] ?? '').join('')
  if (response.content === '' && calls.length > 0) response.content = null
  return calls.length > 0 ? { ...response, tool_calls: calls } : response
}
