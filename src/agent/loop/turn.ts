import { type AgentContext, RequestError } from '@agentclientprotocol/sdk'
import { concurrencyLimit } from '#platform/async/limits/concurrency-limit.ts'
import { isoTime, type Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { SessionTools, UnavailableServer } from '../mcp/session-tools.ts'
import type { CheckImageInput, FindContextWindow } from '../model/catalogue-lookup.ts'
import { type Image, type Model, ModelFault, type ToolCall, type Usage } from '../model/model.ts'
import type { Processes } from '../sandbox/processes.ts'
import type { Shell } from '../sandbox/shell.ts'
import type { Workspace } from '../tools/files/workspace.ts'
import type { ApprovalMode, Tool, ToolContext } from '../tools/tool.ts'
import type { Notify } from './agent-event.ts'
import { buildSystemPrompt } from './context/system-prompt.ts'
import { readWorkspaceNotes } from './context/workspace-notes.ts'
import { runHelper } from './helper.ts'
import { runTurn, type TurnDeps } from './loop.ts'
import { askForm, elicit } from './question.ts'
import type { SessionLog } from './session/session-store.ts'
import type { AgentSettings } from './settings.ts'
import { askClientRules, requestPermission } from './tool-calls/permission.ts'
import { type PromptEnd, sumUsage, type TurnUsage } from './turn-usage.ts'
import { toSessionUpdate } from './updates/acp-updates.ts'
import { notifyClient } from './updates/notify-client.ts'

type TurnContext = {
  settings: Pick<AgentSettings, 'model' | 'instructions' | 'maxSteps'>
  model: Model
  findContextWindow: FindContextWindow
  checkImageInput: CheckImageInput
  tools: Tool[]
  /** The tools of the session's MCP servers. */
  mcp: SessionTools
  processes: Processes
  newId: NewId
  shell: Shell
  now: Now
  client: AgentContext
  supportsForms: boolean
  supportsUrls: boolean
  clientHasRules: boolean
  log: SessionLog
  workspace: Workspace
  mode: ApprovalMode
  signal: AbortSignal
}

/** OpenAI refuses a request with more tools (`array_above_max_length`), and services that are compatible with it do the same. */
const maxTools = 128

/** The text and images of a prompt. */
export type Prompt = { text: string; images: Image[] }

/** Answers one prompt of a client. The session is on disk when the response resolves. */
export async function processPrompt(context: TurnContext, prompt: Prompt): Promise<PromptEnd> {
  const { log, signal } = context
  const usages: Usage[] = []
  const usage = () => (usages.length ? { usage: sumUsage(usages) } : {})
  try {
    // The model in the last response of the service, because a preset names no model.
    const name = log.session.model ?? context.settings.model
    const windowTokens = await context.findContextWindow(name, signal)
    const hasImageInput = await context.checkImageInput(name, signal)
    if (prompt.images.length > 0 && !hasImageInput) throw noImagesError(name)
    const mcpTools = await context.mcp.listTools(context, maxTools - context.tools.length, signal)
    const instructions = await readWorkspaceNotes(context.workspace)
    const notes = [...instructions, ...mcpTools.notes]
    signal.throwIfAborted()
    const notify = withUnavailableServers(
      mcpTools.unavailable,
      context.newId,
      notifyClient({ ...context, windowTokens }, usages),
    )
    const deps = {
      ...createTurnDeps(context, mcpTools.tools, notes),
      windowTokens,
      hasImageInput,
      hasWorkspaceNotes: instructions.length > 0,
      notify,
    }
    const stopReason = await runTurn(withHelpers(context, deps), prompt.text, prompt.images)
    return { stopReason, ...usage() }
  } catch (error) {
    if (signal.aborted) return { stopReason: 'cancelled', ...usage() }
    throw toRequestError(error, usage())
  } finally {
    await log.sync().catch(() => {})
  }
}

/** Reports unavailable servers with the first event. A turn that fails before that reports none. */
function withUnavailableServers(unavailable: UnavailableServer[], newId: NewId, notify: Notify): Notify {
  let unreported = unavailable
  return async (event) => {
    const servers = unreported
    unreported = []
    for (const server of servers) await notify({ type: 'server.unavailable', callId: `server_${newId()}`, ...server })
    await notify(event)
  }
}

const noImagesError = (model: string) =>
  RequestError.invalidParams(
    undefined,
    `the model ${model} takes no images: choose another model for the intern, or remove the images`,
  )

function createTurnDeps(context: TurnContext, mcpTools: Tool[], notes: string[]) {
  const { settings, workspace, log, signal } = context
  const systemPrompt = buildSystemPrompt({
    workspace: workspace.root,
    instructions: settings.instructions(),
    notes,
    today: isoTime(context.now()).slice(0, 10),
  })
  const { model, now } = context
  const tools = [...context.tools, ...mcpTools]
  return { model, tools, now, systemPrompt, maxSteps: settings.maxSteps, log, signal }
}

/**
 * The most helpers that run at the same time. Each of them holds a model request and can run commands. All share the memory of the
 * intern and the request limits of its key.
 */
const maxParallelHelpers = 4

/** The dependencies of a turn whose calls can start helpers. Helpers have the same dependencies as the turn. */
function withHelpers(context: TurnContext, common: Omit<TurnDeps, 'toolContextOf'>): TurnDeps {
  const limitHelpers = concurrencyLimit(maxParallelHelpers)
  const deps: TurnDeps = {
    ...common,
    toolContextOf: (call) =>
      createToolContext(context, call, (task) =>
        limitHelpers(async () => {
          context.signal.throwIfAborted()
          return runHelper(deps, call, task)
        }),
      ),
  }
  return deps
}

function createToolContext(context: TurnContext, call: ToolCall, delegate: ToolContext['delegate']): ToolContext {
  const { workspace, shell, processes, mode, signal, client, log } = context
  const sessionId = log.session.id
  return {
    workspace,
    shell,
    processes,
    mode,
    signal,
    askClientRules: ({ name, kind, title, paths }, input) =>
      askClientRules(context, call, { name, kind, title: title(input), paths: paths?.(input) ?? [] }),
    requestPermission: ({ operation, permissionKey, title, kind }) =>
      requestPermission(context, call, { name: operation, permissionKey }, title, kind),
    delegate,
    showPlan: (steps) =>
      client.notify('session/update', { sessionId, update: toSessionUpdate({ type: 'plan.made', steps }) }),
    ask: (message, fields) => askForm({ ...context, sessionId }, call.id, message, fields),
    elicit: (question, withdrawal) =>
      elicit({ ...context, sessionId, signal: AbortSignal.any([signal, withdrawal]) }, call.id, question),
    notifyProgress: (output) => {
      const update = toSessionUpdate({ type: 'tool.working', id: call.id, output })
      client.notify('session/update', { sessionId, update }).catch(() => {})
    },
  }
}

/** The code of an internal error in JSON-RPC. `RequestError.internalError` would put a prefix before the message. */
const internalErrorCode = -32603

/** `data.retryable` of the error says whether the same prompt can succeed later. */
function toRequestError(error: unknown, usage: { usage?: TurnUsage }): RequestError {
  if (error instanceof RequestError) return error
  const { retryable, status } = error instanceof ModelFault ? error : { retryable: false, status: undefined }
  return new RequestError(internalErrorCode, (error as Error).message, { retryable, status, ...usage })
}
