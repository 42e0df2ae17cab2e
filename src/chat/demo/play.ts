import { estimateTokens } from '#platform/text/token-estimate.ts'
import type { ChatRequest } from '../chat-request.ts'
import type { AnswerEvent, TokenCounts } from '../events.ts'
import { textOf } from '../message.ts'
import { type Performed, performForAgent, promptIn } from './agent-scene.ts'
import { asksByKeyword, type DemoOptions, demoOptions } from './keywords.ts'
import { sampleOf } from './sample.ts'
import { wordsOf } from './words.ts'

/** The steps of the demo model. */
export type Step = { afterMs: number } & ({ say: AnswerEvent } | { stop: 'cut' | 'stall' })

export type Scene = { refuses: { status: number; message: string } } | { steps: Step[] }

/** The demo model. Its behaviour depends only on the request. */
export function play(chat: Pick<ChatRequest, 'messages' | 'tools' | 'tool_choice' | 'response_format'>): Scene {
  const prompt = promptIn(chat.messages)
  const performed = asksByKeyword(prompt) ? undefined : performForAgent(chat)
  if (performed) return sceneFor(chat, performed)
  const options = demoOptions(prompt)
  if (options.error !== undefined)
    return { refuses: { status: options.error, message: `The demo model was asked to fail with ${options.error}.` } }
  const events = [...opening(options), ...body(chat, prompt, options)]
  const paced = events.map((say, index): Step => ({ afterMs: index === 0 ? options.slow : options.pace, say }))
  return { steps: interrupted([...paced, ...ending(chat, options, events)], options) }
}

function sceneFor(chat: Parameters<typeof play>[0], performed: Performed): Scene {
  const [first] = performed
  if (first?.say.type === 'error') return { refuses: { status: first.say.status ?? 500, message: first.say.message } }
  const events = performed.map(({ say }) => say)
  const steps = performed.map(({ waitMs, say }): Step => ({ afterMs: waitMs, say }))
  return { steps: events.at(-1)?.type === 'error' ? steps : [...steps, ...ending(chat, demoOptions(''), events)] }
}

function opening({ reasoning }: DemoOptions): AnswerEvent[] {
  return reasoning
    ? wordsOf('I think about what was said before I answer.').map((text) => ({ type: 'reasoning', text }))
    : []
}

function body(chat: Parameters<typeof play>[0], prompt: string, options: DemoOptions): AnswerEvent[] {
  const called = calledOf(chat, options)
  if (called.length > 0) return called.flatMap((tool, index) => toolCall(tool.function!, index))
  return wordsOf(textFor(chat, prompt, options)).map((text) => ({ type: 'text', text }))
}

/** Calls a required tool, even after a tool result. A client can set tool_choice to none then. */
function calledOf({ messages, tools = [], tool_choice: choice }: Parameters<typeof play>[0], options: DemoOptions) {
  const own = (tools ?? []).filter((tool) => tool.function)
  if (typeof choice === 'object' && choice !== null) {
    const { name } = Object(choice.function) as { name?: unknown }
    return own.filter((tool) => tool.function!.name === name)
  }
  if (choice === 'required' || choice === 'any') return options.tools ? own : own.slice(0, 1)
  if (choice === 'none' || messages.at(-1)?.role === 'tool') return []
  return options.tools ? own : options.tool ? own.slice(0, 1) : []
}

function toolCall({ name, parameters }: { name: string; parameters?: object | null }, index: number): AnswerEvent[] {
  const json = JSON.stringify(sampleOf(parameters ?? { type: 'object' }))
  const half = Math.ceil(json.length / 2)
  return [
    { type: 'tool_call', index, id: `call_demo_${index + 1}`, name },
    { type: 'tool_arguments', index, text: json.slice(0, half) },
    { type: 'tool_arguments', index, text: json.slice(half) },
  ]
}

function textFor(
  { messages, response_format }: Parameters<typeof play>[0],
  prompt: string,
  options: DemoOptions,
): string {
  if (options.words !== undefined) return Array.from({ length: options.words }, (_, i) => `word${i + 1}`).join(' ')
  if (response_format?.type === 'json_schema') {
    const { schema } = (response_format.json_schema ?? {}) as { schema?: object }
    return JSON.stringify(sampleOf(schema))
  }
  if (response_format?.type === 'json_object') return JSON.stringify({ said: prompt.slice(0, 200) })
  const last = messages.at(-1)
  if (last?.role === 'tool') return `The tool answered: ${textOf(last.content).slice(0, 200)}`
  return `You said: ${prompt.slice(0, 200) || 'nothing'}. I am the demo model, and this is all I can say.`
}

function ending(chat: Parameters<typeof play>[0], options: DemoOptions, events: AnswerEvent[]): Step[] {
  const called = events.some(({ type }) => type === 'tool_call')
  const reason = options.length ? 'length' : called ? 'tool_calls' : 'stop'
  const finish: Step = { afterMs: 0, say: { type: 'finish', reason, native: reason } }
  if (options.nousage) return [finish]
  return [finish, { afterMs: 0, say: { type: 'usage', tokens: tokensOf(chat, events) } }]
}

/** Counts one token per word of the answer, and one per four characters of the prompt. */
function tokensOf({ messages }: Parameters<typeof play>[0], events: AnswerEvent[]): TokenCounts {
  const characters = messages.reduce((sum, { content }) => sum + textOf(content).length, 0)
  const reasoning = events.filter(({ type }) => type === 'reasoning').length
  return { prompt: estimateTokens(characters), completion: events.length, cached: 0, cacheWritten: 0, reasoning }
}

const wordsBeforeTrouble = 3

function interrupted(steps: Step[], options: DemoOptions): Step[] {
  const before = steps.slice(0, wordsBeforeTrouble)
  if (options.break) {
    return [
      ...before,
      { afterMs: 0, say: { type: 'error', message: 'The demo model was asked to break off.', status: 502 } },
    ]
  }
  if (options.cut) return [...before, { afterMs: 0, stop: 'cut' }]
  if (options.stall) return [...before, { afterMs: 0, stop: 'stall' }]
  return steps
}
