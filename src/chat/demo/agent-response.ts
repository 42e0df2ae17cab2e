import type { ChatRequest } from '../chat-request.ts'
import type { CompletionEvent } from '../events.ts'
import { type Message, textOf } from '../message.ts'
import { type ScenarioAction, type ScenarioInput, scenarioActions } from './scenarios.ts'
import { type BuildCall, buildMcpCall, findCallBuilder } from './toolbox.ts'
import { splitWords } from './words.ts'

/** The events of a demo response, each with the pause before it. The last one can be an error. */
export type TimedEvents = { waitMs: number; event: CompletionEvent }[]

/** The maximum number of events of one response. */
const maxPieces = 100_000

/** Plays the next step of a scenario. @returns undefined if the tools of the request belong to no known agent. */
export function playForAgent({ messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>): TimedEvents | undefined {
  const toolNames = new Set((tools ?? []).flatMap(toolAndFieldNames))
  const buildCall = findCallBuilder(toolNames)
  if (!buildCall) return undefined
  const timedEvents: TimedEvents = []
  const buildNamedCall: CallState['buildNamedCall'] = ({ use, input }) => buildMcpCall(use, input, toolNames)
  const state = {
    buildCall,
    buildNamedCall,
    callId: (index: number) => `call_demo_${messages.length}_${index + 1}`,
    calls: 0,
    waitMs: 0,
  }
  for (const action of scenarioActions(scenarioInput(messages))) {
    for (const event of toEvents(action, state)) {
      timedEvents.push({ waitMs: state.waitMs, event })
      state.waitMs = 0
    }
    if (timedEvents.length >= maxPieces || 'fail' in action) break
  }
  return timedEvents.slice(0, maxPieces)
}

/** Returns the name of a tool, and each of its fields as `tool.field`. */
function toolAndFieldNames({ function: called }: NonNullable<ChatRequest['tools']>[number]): string[] {
  if (!called) return []
  const { properties } = (called.parameters ?? {}) as { properties?: object }
  return [called.name, ...Object.keys(properties ?? {}).map((field) => `${called.name}.${field}`)]
}

type CallState = {
  buildCall: BuildCall
  buildNamedCall: (action: Extract<ScenarioAction, { use: string }>) => ReturnType<BuildCall>
  callId: (index: number) => string
  calls: number
  waitMs: number
}

function toEvents(action: ScenarioAction, state: CallState): CompletionEvent[] {
  if ('say' in action)
    return (action.isOnePiece ? [action.say] : splitWords(action.say)).map((text) => ({ type: 'text', text }))
  if ('think' in action) return splitWords(action.think).map((text) => ({ type: 'reasoning', text }))
  if ('fail' in action) return [{ type: 'error', message: action.fail, status: action.status }]
  if ('call' in action || 'use' in action) {
    const called = 'use' in action ? state.buildNamedCall(action) : state.buildCall(action)
    if (!called) return [{ type: 'text', text: `I have no tool ${'use' in action ? action.use : action.call}.` }]
    const { name, input } = called
    const index = state.calls++
    const call = { type: 'tool_call' as const, index, id: state.callId(index), name }
    return [call, { type: 'tool_arguments', index, text: JSON.stringify(input) }]
  }
  state.waitMs += action.waitMs
  return []
}

function scenarioInput(messages: Message[]): ScenarioInput {
  const promptIndex = messages.findLastIndex(isPrompt)
  const sincePrompt = messages.slice(promptIndex + 1)
  // Some clients split a model message into several, so adjacent ones count once.
  const isFirstPiece = ({ role }: Message, index: number) =>
    role === 'assistant' && sincePrompt[index - 1]?.role !== 'assistant'
  const lastResponseIndex = sincePrompt.findLastIndex(({ role }) => role === 'assistant')
  return {
    prompt: lastPrompt(messages),
    step: sincePrompt.filter(isFirstPiece).length,
    results: sincePrompt
      .slice(lastResponseIndex + 1)
      .flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : [])),
  }
}

/** Returns the user's last prompt. */
export const lastPrompt = (messages: Message[]): string => {
  const prompt = messages.findLast(isPrompt)
  return prompt ? withoutReminders(prompt) : ''
}

/** A block that an agent inserts before the prompt of the user. */
const reminderPattern = /^\s*<(system-reminder|environment_context|session_context)>.*?(?:<\/\1>\s*|$)/s

function withoutReminders({ content }: Message): string {
  let text = textOf(content)
  for (let previousText = ''; previousText !== text; text = text.replace(reminderPattern, '')) previousText = text
  return text
}

const isPrompt = (message: Message) =>
  message.role === 'user' && (withoutReminders(message) !== '' || textOf(message.content) === '')
