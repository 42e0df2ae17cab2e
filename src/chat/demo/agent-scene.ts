import type { ChatRequest } from '../chat-request.ts'
import type { AnswerEvent } from '../events.ts'
import { type Message, textOf } from '../message.ts'
import { type Line, linesOf, type Scene } from './scenarios.ts'
import { callByName, type ToCall, toolboxOf } from './toolbox.ts'
import { wordsOf } from './words.ts'

/** The demo model's actions for an agent: pauses, pieces of an answer, and possibly an error at the end. */
export type Performed = { waitMs: number; say: AnswerEvent }[]

/** The maximum number of pieces of one answer. */
const most = 100_000

/** @returns the next step of the scenario for an agent with known tools; undefined for other requests. */
export function performForAgent({ messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>): Performed | undefined {
  const offered = new Set((tools ?? []).flatMap(offeredBy))
  const toCall = toolboxOf(offered)
  if (!toCall) return undefined
  const performed: Performed = []
  const toUse: Stage['toUse'] = ({ use, input }) => callByName(use, input, offered)
  const stage = {
    toCall,
    toUse,
    callId: (index: number) => `call_demo_${messages.length}_${index + 1}`,
    calls: 0,
    waitMs: 0,
  }
  for (const line of linesOf(sceneOf(messages))) {
    for (const say of eventsOf(line, stage)) {
      performed.push({ waitMs: stage.waitMs, say })
      stage.waitMs = 0
    }
    if (performed.length >= most || 'fail' in line) break
  }
  return performed.slice(0, most)
}

/** The name of a tool, and of each of its fields as `tool.field`. */
function offeredBy({ function: called }: NonNullable<ChatRequest['tools']>[number]): string[] {
  if (!called) return []
  const { properties } = (called.parameters ?? {}) as { properties?: object }
  return [called.name, ...Object.keys(properties ?? {}).map((field) => `${called.name}.${field}`)]
}

type Stage = {
  toCall: ToCall
  toUse: (using: Extract<Line, { use: string }>) => ReturnType<ToCall>
  callId: (index: number) => string
  calls: number
  waitMs: number
}

function eventsOf(line: Line, stage: Stage): AnswerEvent[] {
  if ('say' in line) return (line.whole ? [line.say] : wordsOf(line.say)).map((text) => ({ type: 'text', text }))
  if ('think' in line) return wordsOf(line.think).map((text) => ({ type: 'reasoning', text }))
  if ('fail' in line) return [{ type: 'error', message: line.fail, status: line.status }]
  if ('call' in line || 'use' in line) {
    const called = 'use' in line ? stage.toUse(line) : stage.toCall(line)
    if (!called) return [{ type: 'text', text: `I have no tool ${'use' in line ? line.use : line.call}.` }]
    const { name, input } = called
    const index = stage.calls++
    const call = { type: 'tool_call' as const, index, id: stage.callId(index), name }
    return [call, { type: 'tool_arguments', index, text: JSON.stringify(input) }]
  }
  stage.waitMs += line.waitMs
  return []
}

function sceneOf(messages: Message[]): Scene {
  const at = messages.findLastIndex(isPrompt)
  const since = messages.slice(at + 1)
  const spoke = since.findLastIndex(({ role }) => role === 'assistant')
  return {
    prompt: promptIn(messages),
    step: since.filter(({ role }, index) => role === 'assistant' && since[index - 1]?.role !== 'assistant').length,
    results: since.slice(spoke + 1).flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : [])),
  }
}

/** The user's last prompt. */
export const promptIn = (messages: Message[]): string => {
  const prompt = messages.findLast(isPrompt)
  return prompt ? withoutReminders(prompt) : ''
}

/** Blocks that agents add to a user message for their model, some of them before the prompt. */
const reminders = /^\s*<(system-reminder|environment_context|session_context)>.*?(?:<\/\1>\s*|$)/s

function withoutReminders({ content }: Message): string {
  let text = textOf(content)
  for (let before = ''; before !== text; text = text.replace(reminders, '')) before = text
  return text
}

const isPrompt = (message: Message) =>
  message.role === 'user' && (withoutReminders(message) !== '' || textOf(message.content) === '')
