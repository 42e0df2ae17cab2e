import { setTimeout as sleep } from 'node:timers/promises'
import { type ScenarioAction, type ScenarioInput, scenarioActions } from '#chat/demo/scenarios.ts'
import { callByName } from '#chat/demo/toolbox.ts'
import { splitWords } from '#chat/demo/words.ts'
import type { NewId } from '#platform/core/id.ts'
import { estimateTokens } from '#platform/text/token-estimate.ts'
import type { AssistantMessage, Message, Model, ModelEvent, ModelRequest, ToolCall } from './model.ts'
import { ModelFault } from './model.ts'

/**
 * The offline script: a model that plays a scenario, chosen by a keyword in the user's message. It continues from the
 * messages of the turn and has no state, so the same conversation always gets the same response.
 */
export function createScriptModel(deps: { newId: NewId }): Model {
  return async function* (request) {
    const response: AssistantMessage = { role: 'assistant', text: '' }
    for (const line of scriptLines(request)) {
      request.signal.throwIfAborted()
      yield* playLine(line, response, request, deps.newId)
    }
    yield {
      type: 'message.completed',
      message: response,
      finish: response.calls ? 'tool_calls' : 'stop',
      usage: { promptTokens: countTokens(request.messages), completionTokens: countTokens([response]), costUsd: 0 },
      model: 'script',
    }
  }
}

function scriptLines({ messages, tools }: ModelRequest): Iterable<ScenarioAction> {
  // A request without tools asks for a summary: return the beginning of each message.
  if (!tools.length) return [{ say: summarize(messages) }]
  return scenarioActions(toScenarioInput(messages))
}

function toScenarioInput(messages: Message[]): ScenarioInput {
  const promptIndex = messages.findLastIndex((message) => message.role === 'user' && !message.isReminder)
  const turnMessages = messages.slice(promptIndex + 1)
  const lastResponseIndex = turnMessages.findLastIndex((message) => message.role === 'assistant')
  return {
    prompt: messages[promptIndex]?.text ?? '',
    step: turnMessages.filter((message) => message.role === 'assistant').length,
    results: turnMessages.slice(lastResponseIndex + 1).flatMap(({ role, text }) => (role === 'tool' ? [text] : [])),
  }
}

async function* playLine(
  line: ScenarioAction,
  response: AssistantMessage,
  { signal, tools }: ModelRequest,
  newId: NewId,
): AsyncGenerator<ModelEvent> {
  if ('say' in line) {
    for (const text of line.isOnePiece ? [line.say] : splitWords(line.say)) {
      response.text += text
      yield { type: 'text.added', text }
    }
  } else if ('think' in line) {
    response.reasoning = (response.reasoning ?? '') + line.think
    for (const text of splitWords(line.think)) yield { type: 'reasoning.added', text }
  } else if ('call' in line || 'use' in line) {
    const names = tools.map((tool) => tool.name)
    const name = 'call' in line ? line.call : (callByName(line.use, line.input, names)?.name ?? line.use)
    const call: ToolCall = { id: `call_${newId()}`, name, arguments: JSON.stringify(line.input) }
    response.calls = [...(response.calls ?? []), call]
  } else if ('waitMs' in line) {
    await sleep(line.waitMs, undefined, { signal })
  } else {
    throw new ModelFault(line.fail, { retryable: line.status === 429 || line.status >= 500, status: line.status })
  }
}

const countTokens = (messages: Message[]) => estimateTokens(JSON.stringify(messages).length)

/** The lengths of each line of a summary, and of the whole summary. */
const summaryLimits = { line: 120, text: 4_000 }

function summarize(messages: Message[]): string {
  const lines = (messages.at(-1)?.text ?? '').split('\n').filter(Boolean)
  return lines
    .map((line) => line.slice(0, summaryLimits.line))
    .join('\n')
    .slice(0, summaryLimits.text)
}
