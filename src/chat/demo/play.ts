import { estimateTokens } from '#platform/text/token-estimate.ts'
import type { ChatRequest } from '../chat-request.ts'
import type { CompletionEvent, TokenCounts } from '../events.ts'
import { textOf } from '../message.ts'
import { lastPrompt, playForAgent, type TimedEvents } from './agent-response.ts'
import { type DemoOptions, hasKeyword, readDemoOptions } from './keywords.ts'
import { createSample } from './sample.ts'
import { splitWords } from './words.ts'

/**
 * A step of a demo response: an event, or a failure of the stream. `cut`: the connection closes. `stall`: nothing more is sent and
 * the connection stays open.
 */
export type Step = { afterMs: number } & ({ event: CompletionEvent } | { stop: 'cut' | 'stall' })

type DemoRequest = Pick<ChatRequest, 'messages' | 'tools' | 'tool_choice' | 'response_format'>

type DemoResponse = { error: { status: number; message: string } } | { steps: Step[] }

/** The demo model. Its behaviour depends only on the request. */
export function simulateResponse(chat: DemoRequest): DemoResponse {
  const prompt = lastPrompt(chat.messages)
  const timedEvents = hasKeyword(prompt) ? undefined : playForAgent(chat)
  if (timedEvents) return respondToAgent(chat, timedEvents)
  const options = readDemoOptions(prompt)
  if (options.errorStatus !== undefined)
    return {
      error: { status: options.errorStatus, message: `The demo model was asked to fail with ${options.errorStatus}.` },
    }
  const events = [...reasoningEvents(options), ...contentEvents(chat, prompt, options)]
  const pacedSteps = events.map(
    (event, index): Step => ({ afterMs: index === 0 ? options.firstWordDelayMs : options.wordDelayMs, event }),
  )
  return { steps: interruptedSteps([...pacedSteps, ...endingSteps(chat, options, events)], options) }
}

function respondToAgent(chat: DemoRequest, timedEvents: TimedEvents): DemoResponse {
  const [first] = timedEvents
  if (first?.event.type === 'error')
    return { error: { status: first.event.status ?? 500, message: first.event.message } }
  const events = timedEvents.map(({ event }) => event)
  const steps = timedEvents.map(({ waitMs, event }): Step => ({ afterMs: waitMs, event }))
  return {
    steps: events.at(-1)?.type === 'error' ? steps : [...steps, ...endingSteps(chat, readDemoOptions(''), events)],
  }
}

function reasoningEvents({ reasoning }: DemoOptions): CompletionEvent[] {
  return reasoning
    ? splitWords('I think about what was said before I answer.').map((text) => ({ type: 'reasoning', text }))
    : []
}

function contentEvents(chat: DemoRequest, prompt: string, options: DemoOptions): CompletionEvent[] {
  const called = toolsToCall(chat, options)
  if (called.length > 0) return called.flatMap((tool, index) => toolCallEvents(tool.function!, index))
  return splitWords(textFor(chat, prompt, options)).map((text) => ({ type: 'text', text }))
}

/** Chooses the tools to call. A required tool is called even after a tool result, so clients must then send `none`. */
function toolsToCall({ messages, tools = [], tool_choice: choice }: DemoRequest, options: DemoOptions) {
  const functions = (tools ?? []).filter((tool) => tool.function)
  if (typeof choice === 'object' && choice !== null) {
    const { name } = Object(choice.function) as { name?: unknown }
    return functions.filter((tool) => tool.function!.name === name)
  }
  if (choice === 'required' || choice === 'any') return options.tools ? functions : functions.slice(0, 1)
  if (choice === 'none' || messages.at(-1)?.role === 'tool') return []
  if (options.tools) return functions
  return options.tool ? functions.slice(0, 1) : []
}

function toolCallEvents(
  { name, parameters }: { name: string; parameters?: object | null },
  index: number,
): CompletionEvent[] {
  const json = JSON.stringify(createSample(parameters ?? { type: 'object' }))
  const half = Math.ceil(json.length / 2)
  return [
    { type: 'tool_call', index, id: `call_demo_${index + 1}`, name },
    { type: 'tool_arguments', index, text: json.slice(0, half) },
    { type: 'tool_arguments', index, text: json.slice(half) },
  ]
}

/** The maximum number of characters of a prompt or a result that a response repeats. */
const maxQuoted = 200

function textFor({ messages, response_format }: DemoRequest, prompt: string, options: DemoOptions): string {
  if (options.wordCount !== undefined)
    return Array.from({ length: options.wordCount }, (_, i) => `word${i + 1}`).join(' ')
  if (response_format?.type === 'json_schema') {
    const { schema } = (response_format.json_schema ?? {}) as { schema?: object }
    return JSON.stringify(createSample(schema))
  }
  if (response_format?.type === 'json_object') return JSON.stringify({ said: prompt.slice(0, maxQuoted) })
  const last = messages.at(-1)
  if (last?.role === 'tool') return `The tool answered: ${textOf(last.content).slice(0, maxQuoted)}`
  return `You said: ${prompt.slice(0, maxQuoted) || 'nothing'}. I am the demo model, and this is all I can say.`
}

function endingSteps(chat: DemoRequest, options: DemoOptions, events: CompletionEvent[]): Step[] {
  const reason = finishReason(options, events)
  const finish: Step = { afterMs: 0, event: { type: 'finish', reason, native: reason } }
  if (options.omitsUsage) return [finish]
  return [finish, { afterMs: 0, event: { type: 'usage', tokens: tokensOf(chat, events) } }]
}

function finishReason({ endsWithLength }: DemoOptions, events: CompletionEvent[]): 'length' | 'tool_calls' | 'stop' {
  if (endsWithLength) return 'length'
  return events.some(({ type }) => type === 'tool_call') ? 'tool_calls' : 'stop'
}

/** Counts one token per word of the response, and one per four characters of the prompt. */
function tokensOf({ messages }: DemoRequest, events: CompletionEvent[]): TokenCounts {
  const characters = messages.reduce((sum, { content }) => sum + textOf(content).length, 0)
  const reasoning = events.filter(({ type }) => type === 'reasoning').length
  return { prompt: estimateTokens(characters), completion: events.length, cached: 0, cacheWritten: 0, reasoning }
}

const wordsBeforeFailure = 3

/**
 * Adds the failure that the prompt requests after the first steps. `break`: an error event in the stream. `cut` and `stall`: see
 * `Step`.
 */
function interruptedSteps(steps: Step[], options: DemoOptions): Step[] {
  const firstSteps = steps.slice(0, wordsBeforeFailure)
  if (options.break) {
    return [
      ...firstSteps,
      { afterMs: 0, event: { type: 'error', message: 'The demo model was asked to break off.', status: 502 } },
    ]
  }
  if (options.cut) return [...firstSteps, { afterMs: 0, stop: 'cut' }]
  if (options.stall) return [...firstSteps, { afterMs: 0, stop: 'stall' }]
  return steps
}
