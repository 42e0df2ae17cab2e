import type { Now } from '#platform/core/clock.ts'
import { bytesPerToken, estimateTokens } from '#platform/text/token-estimate.ts'
import {
  type AssistantMessage,
  type Finish,
  type Image,
  type Message,
  type Model,
  ModelFault,
  type ToolCall,
} from '../model/model.ts'
import { shorten } from '../sandbox/bounded-text.ts'
import type { Tool, ToolContext, ToolOutput } from '../tools/tool.ts'
import type { Notify } from './agent-event.ts'
import { fitContext, shrinkContext } from './context/compaction.ts'
import { recordUsage } from './record-usage.ts'
import { addMissingResults } from './session/session.ts'
import type { SessionLog } from './session/session-store.ts'
import { CheckReminder } from './tool-calls/check-reminder.ts'
import { RepeatDetector } from './tool-calls/repeat-detector.ts'
import { findTool, requireInput, toCallEvent } from './tool-calls/tool-call.ts'
import { findEquivalentName } from './tool-calls/tool-name-aliases.ts'
import { withUniqueCallIds } from './tool-calls/unique-call-ids.ts'

export type TurnDeps = {
  model: Model
  tools: Tool[]
  systemPrompt: string
  /** The size of the model's context, in tokens. */
  windowTokens: number
  /** Whether the model takes images. */
  hasImageInput: boolean
  /** Whether the workspace has instructions. Then the model is reminded once to run a command after its last change of a file. */
  hasWorkspaceNotes: boolean
  /** The most requests to the model in one turn. */
  maxSteps: number
  log: SessionLog
  notify: Notify
  toolContextOf: (call: ToolCall) => ToolContext
  signal: AbortSignal
  now: Now
}

type RunningTurn = TurnDeps & {
  /** Estimated tokens of the system prompt and the tools. */
  overheadTokens: number
  repeatDetector: RepeatDetector
  checkReminder: CheckReminder
}

type TurnEnd = 'end_turn' | 'max_tokens' | 'refusal' | 'max_turn_requests'

/** Limits of one result: characters, and its share of the context window. A response can have several calls. */
const maxResultLength = 60_000
const resultShare = 0.3

/** Calls the model and its tools until a response has no tool call. @throws ModelFault, or the reason of `signal`. */
export async function runTurn(deps: TurnDeps, text: string, images: Image[] = []): Promise<TurnEnd> {
  await addMessage(deps, { role: 'user', text, ...(images.length > 0 && { images }) })
  const runningTurn: RunningTurn = {
    ...deps,
    overheadTokens: estimateOverhead(deps),
    repeatDetector: new RepeatDetector(),
    checkReminder: new CheckReminder(),
  }
  for (let step = 0; step < deps.maxSteps; step++) {
    await fitContext(runningTurn)
    const { message, finish } = await callModelWithinWindow(runningTurn)
    if (message.calls?.length) await runCalls(runningTurn, message.calls, finish === 'length')
    else {
      const reminder =
        deps.hasWorkspaceNotes && finish === 'stop' ? runningTurn.checkReminder.takeReminder() : undefined
      if (reminder === undefined) return toTurnEnd(finish)
      await addMessage(deps, { role: 'user', text: reminder, isReminder: true })
    }
    deps.signal.throwIfAborted()
  }
  return 'max_turn_requests'
}

function toTurnEnd(finish: Finish): TurnEnd {
  if (finish === 'length') return 'max_tokens'
  return finish === 'refusal' ? 'refusal' : 'end_turn'
}

const estimateOverhead = ({ systemPrompt, tools }: TurnDeps) =>
  estimateTokens(systemPrompt.length + JSON.stringify(tools.map(({ spec }) => spec)).length)

type ModelResponse = { message: AssistantMessage; finish: Finish }

/**
 * Shrinks the context until the provider accepts it: token counts are estimates, and the endpoint can have a smaller window
 * than the catalogue says.
 */
async function callModelWithinWindow(deps: RunningTurn): Promise<ModelResponse> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await callModel(deps)
    } catch (error) {
      if (!(error instanceof ModelFault && error.isContextTooLong) || !(await shrinkContext(deps, attempt))) throw error
    }
  }
}

/** Calls the model once and stores its response, or the text that arrived before a failure or cancellation. */
async function callModel(deps: TurnDeps): Promise<ModelResponse> {
  const { tools, signal } = deps
  const messages: Message[] = [{ role: 'system', text: deps.systemPrompt }, ...readConversation(deps)]
  let text = ''
  try {
    for await (const event of deps.model({ messages, tools: tools.map((tool) => tool.spec), signal })) {
      signal.throwIfAborted()
      if (event.type === 'message.completed') {
        const message = withUniqueCallIds(event.message, deps.log.session.context)
        await addMessage(deps, message)
        await recordUsage(deps, event)
        return { message, finish: event.finish }
      }
      if (event.type === 'text.added') text += event.text
      await deps.notify(event)
    }
    throw new ModelFault('The response of the model ended without a finish reason.', { retryable: true })
  } catch (error) {
    if (text) await addMessage(deps, { role: 'assistant', text })
    if (error instanceof ModelFault && error.usage) await recordUsage(deps, { usage: error.usage })
    throw error
  }
}

/** Removes images if the model takes none: another model may have received them. */
function readConversation({ log, hasImageInput }: TurnDeps): Message[] {
  const messages = addMissingResults(log.session.context)
  return hasImageInput ? messages : messages.map(withoutImages)
}

function withoutImages(message: Message): Message {
  if ((message.role !== 'tool' && message.role !== 'user') || !message.images) return message
  const { images, ...rest } = message
  return { ...rest, text: `${rest.text}\n[${images.length} images omitted: the model takes no images.]` }
}

const addMessage = (deps: TurnDeps, message: Message) =>
  deps.log.add({ type: 'message.added', message, at: deps.now() })

/**
 * Runs reading calls in parallel. A call that changes something waits for all calls before it. Results are stored in the order
 * of the calls. `isTruncated`: the response ended at the model's output limit, so the arguments of its last call can be incomplete.
 */
async function runCalls(deps: RunningTurn, calls: ToolCall[], isTruncated: boolean): Promise<void> {
  for (const call of calls) await deps.notify(toCallEvent(deps.tools, call))
  let running: Promise<Message>[] = []
  const settle = async () => {
    for (const result of await Promise.all(running)) await addMessage(deps, result)
    running = []
  }
  for (const call of calls) {
    const runsAlone = findTool(deps.tools, call)?.runsAlone
    if (runsAlone) await settle()
    running.push(runCall(deps, call, isTruncated && call === calls.at(-1)))
    if (runsAlone) await settle()
  }
  await settle()
}

async function runCall(deps: RunningTurn, call: ToolCall, isTruncated: boolean): Promise<Message> {
  const result = deps.signal.aborted ? cancelledResult : await runTool(deps, call, isTruncated)
  const { failed, images, changes } = result
  const tool = findTool(deps.tools, call)
  deps.checkReminder.record(tool, result)
  const note = deps.repeatDetector.record(tool, call, result)
  const text = note === undefined ? result.text : `${result.text}\n${note}`
  await deps.notify({ type: 'tool.finished', id: call.id, failed, text, changes })
  return { role: 'tool', callId: call.id, text, images }
}

function resultLimits({ windowTokens }: TurnDeps) {
  const half = Math.floor(Math.min(maxResultLength, windowTokens * bytesPerToken.average * resultShare) / 2)
  return { head: half, tail: half }
}

const notAllowedMessage = 'Not allowed, and not done. Continue without it.'

/** Names the equivalent tool if the name is one of another agent. */
function unknownToolMessage(tools: Tool[], name: string): string {
  const equivalentTool = tools.find((tool) => tool.name === findEquivalentName(name))
  const parameters = Object.keys((equivalentTool?.spec.parameters.properties as object | undefined) ?? {})
  const suggestion = equivalentTool && ` Use ${equivalentTool.name}, which takes ${parameters.join(', ')}.`
  return `Unknown tool ${name}.${suggestion ?? ''} Available tools: ${tools.map((each) => each.name).join(', ')}.`
}

type Result = ToolOutput & { failed: boolean }

const cancelledResult: Result = { failed: true, text: 'Cancelled before it was run.' }

/** Runs a call. A failure is a result that the model reads. */
async function runTool(deps: TurnDeps, call: ToolCall, isTruncated: boolean): Promise<Result> {
  try {
    const tool = findTool(deps.tools, call)
    if (!tool) throw new Error(unknownToolMessage(deps.tools, call.name))
    const input = requireInput(call, isTruncated)
    const context = deps.toolContextOf(call)
    if (!tool.handlesPermission && !(await context.askClientRules(tool, input))) throw new Error(notAllowedMessage)
    const result = await tool.run(input, context)
    const output = typeof result === 'string' ? { text: result } : result
    return { ...output, failed: false, text: shorten(output.text, resultLimits(deps)) }
  } catch (error) {
    if (deps.signal.aborted) return { failed: true, text: 'Cancelled.' }
    return { failed: true, text: shorten(`Error: ${(error as Error).message}`, resultLimits(deps)) }
  }
}
