import { setTimeout as sleep } from 'node:timers/promises'
import { type ScenarioAction, type ScenarioInput, scenarioActions } from '#chat/demo/scenarios.ts'
import { buildMcpCall } from '#chat/demo/toolbox.ts'
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
    for (const action of nextActions(request)) {
      request.signal.throwIfAborted()
      yield* playAction(action, response, request, deps.newId)
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

function nextActions({ messages, tools }: ModelRequest): Iterable<ScenarioAction> {
  // A request without tools asks for a summary. Its last message is the conversation as text, one message a line.
  if (!tools.length) return [{ say: shortenLines(messages.at(-1)?.text ?? '') }]
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

async function* playAction(
  action: ScenarioAction,
  response: AssistantMessage,
  { signal, tools }: ModelRequest,
  newId: NewId,
): AsyncGenerator<ModelEvent> {
  if ('say' in action) {
    for (const text of action.isOnePiece ? [action.say] : splitWords(action.say)) {
      response.text += text
      yield { type: 'text.added', text }
    }
  } else if ('think' in action) {
    response.reasoning = (response.reasoning ?? '') + action.think
    for (const text of splitWords(action.think)) yield { type: 'reasoning.added', text }
  } else if ('call' in action || 'use' in action) {
    const names = tools.map((tool) => tool.name)
    // `call` is the name of a builtin tool; `use` is the MCP server's name of a tool, without the prefix that the agent adds.
    const name = 'call' in action ? action.call : (buildMcpCall(action.use, action.input, names)?.name ?? action.use)
    const call: ToolCall = { id: `call_${newId()}`, name, arguments: JSON.stringify(action.input) }
    response.calls = [...(response.calls ?? []), call]
  } else if ('waitMs' in action) {
    await sleep(action.waitMs, undefined, { signal })
  } else {
    throw new ModelFault(action.fail, {
      retryable: action.status === 429 || action.status >= 500,
      status: action.status,
    })
  }
}

const countTokens = (messages: Message[]) => estimateTokens(JSON.stringify(messages).length)

/** The maximum lengths of each line of a summary, and of the whole summary, in characters. */
const summaryLimits = { line: 120, text: 4_000 }

/** The beginning of each line. */
function shortenLines(text: string): string {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(0, summaryLimits.line))
    .join('\n')
    .slice(0, summaryLimits.text)
}
