import { type AgentApp, type AgentContext, agent, type ContentBlock, RequestError } from '@agentclientprotocol/sdk'
import { isoTime, type Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { CheckImageInput, FindContextWindow } from '../model/catalogue-lookup.ts'
import type { Model } from '../model/model.ts'
import type { Shell } from '../sandbox/shell.ts'
import type { ApprovalMode, Tool } from '../tools/tool.ts'
import { toConfigOptions } from './config-options.ts'
import { type OpenSession, OpenSessions } from './session/open-sessions.ts'
import type { SessionStore } from './session/session-store.ts'
import type { AgentSettings } from './settings.ts'
import { type Prompt, processPrompt } from './turn.ts'
import { toReplayUpdates } from './updates/replay.ts'

export type AgentDeps = {
  settings: Pick<AgentSettings, 'model' | 'instructions' | 'maxSteps'>
  model: Model
  findContextWindow: FindContextWindow
  checkImageInput: CheckImageInput
  tools: Tool[]
  shell: Shell
  store: SessionStore
  version: string
  now: Now
  newId: NewId
  /** Connects to MCP servers; the global one by default. */
  fetch?: typeof globalThis.fetch
}

/** A session disconnects from its MCP servers after this time without a prompt. The next call of a tool connects again. */
const idleMs = 10 * 60_000

const modes: { id: ApprovalMode; name: string; description: string }[] = [
  { id: 'manual', name: 'Manual', description: 'Asks before each shell command and runs it in a sandbox.' },
  { id: 'self-drive', name: 'Self-drive', description: 'Asks for no permission; the shell runs without a sandbox.' },
]

/** Capabilities that the client declared in `initialize`: it can show forms and URLs, and it applies its own rules. */
type ClientCapabilities = { supportsForms: boolean; supportsUrls: boolean; clientHasRules: boolean }

/** The builtin agent, an agent of the Agent Client Protocol like any other: one app serves one client. */
export function createAgent(deps: AgentDeps): AgentApp {
  let capabilities: ClientCapabilities = { supportsForms: false, supportsUrls: false, clientHasRules: false }
  const sessions = new OpenSessions({ ...deps, supportsForms: () => capabilities.supportsForms })

  const describeSession = ({ mode, log }: OpenSession) => ({
    modes: { currentModeId: mode, availableModes: modes },
    configOptions: toConfigOptions(deps.settings.model, log.session.model),
  })

  return agent({ name: 'signalbox' })
    .onConnect(({ signal }) => signal.addEventListener('abort', () => sessions.endAll()))
    .onRequest('initialize', ({ params: { clientCapabilities } }) => {
      capabilities = {
        supportsForms: Boolean(clientCapabilities?.elicitation?.form),
        supportsUrls: Boolean(clientCapabilities?.elicitation?.url),
        clientHasRules: clientAppliesRules(clientCapabilities?._meta),
      }
      return initializeResponse(deps.version)
    })
    .onRequest('session/new', async ({ params }) => {
      const session = await sessions.create(params.cwd, params.mcpServers)
      return { sessionId: session.log.session.id, ...describeSession(session) }
    })
    .onRequest('session/load', async ({ params, client }) => {
      const { session, entries } = await sessions.restore(params.sessionId, params.cwd, params.mcpServers)
      for (const update of toReplayUpdates(entries, deps.tools)) {
        await client.notify('session/update', { sessionId: params.sessionId, update })
      }
      return describeSession(session)
    })
    .onRequest('session/resume', async ({ params }) => {
      const { session } = await sessions.restore(params.sessionId, params.cwd, params.mcpServers ?? [])
      return describeSession(session)
    })
    .onRequest('session/list', async ({ params }) => toSessionList(await deps.store.list(), params.cwd))
    .onRequest('session/close', async ({ params }) => sessions.close(params.sessionId))
    .onRequest('session/set_mode', ({ params }) => {
      const mode = modes.find(({ id }) => id === params.modeId)
      if (!mode) throw RequestError.invalidParams(undefined, `unknown mode ${params.modeId}: use manual or self-drive`)
      sessions.get(params.sessionId).mode = mode.id
      return {}
    })
    .onRequest('session/set_config_option', ({ params }) => {
      const { configOptions } = describeSession(sessions.get(params.sessionId))
      const isUnchanged = configOptions.some(
        ({ id, currentValue }) => id === params.configId && currentValue === params.value,
      )
      if (!isUnchanged) throw RequestError.invalidParams(undefined, 'the model is set when the agent is started')
      return { configOptions }
    })
    .onRequest('session/prompt', ({ params, client, signal }) =>
      processInSession(
        sessions.get(params.sessionId),
        toPrompt(params.prompt),
        { ...deps, ...capabilities, client },
        signal,
      ),
    )
    .onNotification('session/cancel', ({ params }) => sessions.find(params.sessionId)?.turn?.controller.abort())
}

const initializeResponse = (version: string) => ({
  protocolVersion: 1,
  agentInfo: { name: 'signalbox', title: 'Signalbox', version },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { list: {}, resume: {}, close: {} },
  },
  authMethods: [],
  // No update of a prompt follows its response, so the client need not wait for late ones.
  _meta: { signalbox: { sendsNothingLate: true } },
})

/** @param folder filters by the folder of the sessions. */
function toSessionList(all: Awaited<ReturnType<SessionStore['list']>>, folder: string | null | undefined) {
  const sessions = folder ? all.filter(({ cwd }) => cwd === folder) : all
  return {
    sessions: sessions.map(({ id, cwd, title, updatedAt }) => ({
      sessionId: id,
      cwd,
      title: title ?? null,
      updatedAt: isoTime(updatedAt),
    })),
  }
}

/** Answers one prompt at a time in each session. @param requestSignal aborts when the client cancels the request. */
async function processInSession(
  session: OpenSession,
  prompt: Prompt,
  deps: AgentDeps & ClientCapabilities & { client: AgentContext },
  requestSignal: AbortSignal,
) {
  if (session.turn) throw RequestError.invalidRequest(undefined, 'the session is busy with another prompt')
  const { promise: turnEnded, resolve: end } = Promise.withResolvers<void>()
  const controller = new AbortController()
  session.turn = { controller, ended: turnEnded }
  const signal = AbortSignal.any([controller.signal, requestSignal])
  const { log, workspace, mode, mcp, processes } = session
  clearTimeout(session.idleTimer)
  try {
    return await processPrompt({ ...deps, log, workspace, mode, mcp, processes, signal }, prompt)
  } finally {
    session.turn = undefined
    session.idleTimer = setTimeout(() => void mcp.close(), idleMs).unref()
    end()
  }
}

/** `_meta.signalbox.judges`: the client applies its own rules, so it gets a permission request before each tool call. */
const clientAppliesRules = (meta: Record<string, unknown> | null | undefined) =>
  (meta?.signalbox as { judges?: unknown } | undefined)?.judges === true

/** Returns the text of a prompt with its embedded resources and links, and its images. */
function toPrompt(blocks: ContentBlock[]): Prompt {
  const images = blocks.flatMap((block) =>
    block.type === 'image' ? [{ mimeType: block.mimeType, data: block.data }] : [],
  )
  const texts = blocks.flatMap((block) => {
    if (block.type === 'image') return []
    if (block.type === 'text') return block.text
    if (block.type === 'resource_link') return `[${block.name}](${block.uri})`
    if (block.type === 'resource' && 'text' in block.resource) return `${block.resource.uri}:\n${block.resource.text}`
    throw RequestError.invalidParams(undefined, `a prompt cannot hold ${block.type} here`)
  })
  return { text: texts.join('\n\n'), images }
}
