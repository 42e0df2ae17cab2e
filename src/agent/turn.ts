import { setImmediate } from 'node:timers/promises'
import { type AgentContext, type PromptResponse, RequestError } from '@agentclientprotocol/sdk'
import { isoTime, type Now } from '#lib/clock.ts'
import { updateOf } from './acp-updates.ts'
import { configOptionsOf } from './config-options.ts'
import { consentTo } from './consent.ts'
import { runTurn } from './loop.ts'
import { type Model, ModelFault, type ToolCall, type Usage } from './model/model.ts'
import { askForm } from './question.ts'
import type { SessionLog } from './session-store.ts'
import type { AgentSettings } from './settings.ts'
import type { Shell } from './shell.ts'
import { systemPromptFor } from './system-prompt.ts'
import type { ApprovalMode, Tool, ToolContext } from './tools/tool.ts'
import type { Tell } from './turn-event.ts'
import type { Workspace } from './workspace.ts'

export type TurnSurroundings = {
  settings: Pick<AgentSettings, 'model' | 'instructions' | 'windowTokens' | 'maxSteps'>
  model: Model
  tools: Tool[]
  shell: Shell
  now: Now
  client: AgentContext
  canAsk: boolean
  log: SessionLog
  workspace: Workspace
  mode: ApprovalMode
  signal: AbortSignal
}

/** `usage` is not in the stable protocol yet; clients that know it read it. */
type Response = PromptResponse & { usage?: TurnUsage }
type TurnUsage = {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  cachedReadTokens: number
  thoughtTokens: number
}

/** One prompt of a client, from its text to the protocol's response. The session is on disk when it resolves. */
export async function answerPrompt(around: TurnSurroundings, prompt: string): Promise<Response> {
  const { log, signal } = around
  const spent: Usage[] = []
  const usage = () => (spent.length ? { usage: sumOf(spent) } : {})
  try {
    const stopReason = await runTurn({ ...depsOf(around), tell: tellClient(around, spent) }, prompt)
    return { stopReason, ...usage() }
  } catch (error) {
    if (signal.aborted) return { stopReason: 'cancelled', ...usage() }
    throw failure(error, usage())
  } finally {
    await log.sync().catch(() => {})
  }
}

function depsOf(around: TurnSurroundings) {
  const { settings, workspace, log, signal } = around
  const systemPrompt = systemPromptFor({
    workspace: workspace.root,
    instructions: settings.instructions,
    today: isoTime(around.now()).slice(0, 10),
  })
  const { model, tools, now } = around
  const { windowTokens, maxSteps } = settings
  const contextOf = (call: ToolCall) => toolContext(around, call)
  return { model, tools, now, systemPrompt, windowTokens, maxSteps, log, signal, contextOf }
}

function toolContext(around: TurnSurroundings, call: ToolCall): ToolContext {
  const { workspace, shell, mode, signal, client, log } = around
  const sessionId = log.session.id
  const working = updateOf({ type: 'tool.working', id: call.id }, 0)
  return {
    workspace,
    shell,
    mode,
    signal,
    permitted: (operation, title) => consentTo(around, call, operation, title),
    ask: (message, fields) => askForm({ ...around, sessionId }, call.id, message, fields),
    working: () => void client.notify('session/update', { sessionId, update: working }).catch(() => {}),
  }
}

const breatheEveryMs = 10

function tellClient({ client, log, settings }: TurnSurroundings, spent: Usage[]): Tell {
  const sessionId = log.session.id
  let known = log.session.model ?? settings.model
  let breathedAt = performance.now()
  return async (event) => {
    // Pipes are written without waiting: in a flood nothing else, not even a cancellation, would be read.
    if (performance.now() - breathedAt > breatheEveryMs) {
      await setImmediate()
      breathedAt = performance.now()
    }
    await client.notify('session/update', { sessionId, update: updateOf(event, settings.windowTokens) })
    if (event.type !== 'usage.counted') return
    spent.push(event.usage)
    if (!event.model || event.model === known) return
    known = event.model
    const configOptions = configOptionsOf(settings.model, known)
    await client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'config_option_update', configOptions },
    })
  }
}

function sumOf(spent: Usage[]): TurnUsage {
  const sum = (count: (usage: Usage) => number | undefined) => spent.reduce((all, each) => all + (count(each) ?? 0), 0)
  const inputTokens = sum((usage) => usage.promptTokens)
  const outputTokens = sum((usage) => usage.completionTokens)
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cachedReadTokens: sum((usage) => usage.cachedTokens),
    thoughtTokens: sum((usage) => usage.reasoningTokens),
  }
}

/** The error's data tells the client whether the same prompt may go well later. */
function failure(error: unknown, usage: { usage?: TurnUsage }): RequestError {
  if (error instanceof RequestError) return error
  const { retryable, status } = error instanceof ModelFault ? error : { retryable: false, status: undefined }
  return new RequestError(-32603, (error as Error).message, {
    retryable,
    ...(status === undefined ? {} : { status }),
    ...usage,
  })
}
