import type { ContentBlock, InitializeRequest } from '@agentclientprotocol/sdk'
import type { McpServer } from '#interns/registry/mcp-server-schema.ts'
import { truncateText } from '#platform/text/truncate.ts'
import type { DaemonLog } from '../log.ts'
import { type AgentSession, readSession } from './agent-session.ts'
import { addSignInHelp } from './auth-methods.ts'
import { type Channel, Connection, type Handlers } from './connection.ts'
import { selectSupportedServers } from './mcp-servers.ts'
import { RpcError, readProperty, rpcCodes } from './rpc-message.ts'
import { type AgentUpdate, readUpdate } from './update.ts'

/** Receives what an agent sends about one of its sessions. */
export type SessionListener = {
  onUpdate(update: AgentUpdate): void
  onPermissionRequest(params: unknown, withdrawal: AbortSignal): Promise<unknown>
  onElicitation(params: unknown, withdrawal: AbortSignal): Promise<unknown>
}

export type PromptCapabilities = { image: boolean; audio: boolean; embeddedContext: boolean }

/** An initialized agent. Every method rejects if the agent refuses, has ended, or, except for a prompt, does not answer in time. */
export type Agent = {
  name: string | null
  /** Whether the agent can restore a session that an earlier agent process started. */
  canRestoreSessions: boolean
  /** The kinds of content that a prompt can have in addition to text and links. */
  promptCapabilities: PromptCapabilities
  /** The names of the intern's MCP servers whose transport the agent does not support. */
  unsupportedServers: string[]
  /** Whether the agent sends all output of a turn before the end of the turn. The protocol does not require that. */
  hasNoLateUpdates: boolean
  newSession(workspace: string): Promise<AgentSession>
  /** Restores a session. Past events that the agent replays reach no listener, because no listener is set yet. */
  restoreSession(id: string, workspace: string): Promise<AgentSession>
  listen(sessionId: string, listener: SessionListener): void
  closeSession(sessionId: string): void
  setMode(session: AgentSession, mode: string): Promise<unknown>
  /** Resolves with the agent's response at the end of the turn. */
  prompt(sessionId: string, blocks: ContentBlock[]): Promise<unknown>
  cancel(sessionId: string): void
  pause: Connection['pause']
  resume: Connection['resume']
  whenClosed: Promise<Error>
  close(reason: Error): void
}

const initializeParams: InitializeRequest = {
  protocolVersion: 1,
  clientInfo: { name: 'signalbox', version: '1' },
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    elicitation: { form: {}, url: {} },
    // The builtin agent then asks before each tool in both modes, so that rules can decide.
    _meta: { signalbox: { judges: true } },
  },
}

export type AgentLimits = { maxMessageBytes: number; handshakeMs: number }

/** `_meta` is sent with every new and restored session. Some agents read settings from this field. */
type SessionExtras = { _meta?: Record<string, unknown> }

/**
 * `authenticate` is the id of a sign-in method, for agents that open no session without one. `mcpServers` are the
 * intern's MCP servers with their secrets.
 */
export type AgentQuirks = SessionExtras & { authenticate?: string; mcpServers?: McpServer[] }

/**
 * Initializes an agent over its channel, and signs in if a method is configured. @throws RpcError if the agent refuses or has
 * another protocol version. @throws Refusal if it does not answer within `handshakeMs`.
 */
export async function initializeAgent(
  channel: Channel,
  limits: AgentLimits,
  { authenticate, mcpServers: servers = [], ...extras }: AgentQuirks = {},
  log: DaemonLog = () => {},
): Promise<Agent> {
  const listeners = new Map<string, SessionListener>()
  const connection = new Connection(channel, createHandlers(listeners, log), limits)
  const initialized = await connection.request('initialize', initializeParams, limits.handshakeMs)
  requireProtocolVersion(readProperty(initialized, 'protocolVersion'))
  const agent = new InitializedAgent({ connection, listeners, initialized, servers, extras, limits })
  if (authenticate !== undefined) await agent.authenticate(authenticate)
  return agent
}

type AgentDeps = {
  connection: Connection
  listeners: Map<string, SessionListener>
  /** The agent's response to `initialize`. */
  initialized: unknown
  servers: McpServer[]
  extras: SessionExtras
  limits: AgentLimits
}

class InitializedAgent implements Agent {
  readonly name: string | null
  readonly canRestoreSessions: boolean
  readonly promptCapabilities: PromptCapabilities
  readonly unsupportedServers: string[]
  readonly hasNoLateUpdates: boolean
  readonly #connection: Connection
  readonly #listeners: Map<string, SessionListener>
  readonly #handshakeMs: number
  readonly #canResume: boolean
  readonly #canClose: boolean
  /** The parameters of every new and restored session. */
  readonly #sessionParams: object
  readonly #throwWithHelp: (error: unknown) => never

  constructor({ connection, listeners, initialized, servers, extras, limits }: AgentDeps) {
    const capabilities = readProperty(initialized, 'agentCapabilities')
    const sessionCapabilities = readProperty(capabilities, 'sessionCapabilities')
    const { supported: mcpServers, unsupportedNames } = selectSupportedServers(servers, capabilities)
    const signalboxMeta = readProperty(readProperty(initialized, '_meta'), 'signalbox')
    this.#connection = connection
    this.#listeners = listeners
    this.#handshakeMs = limits.handshakeMs
    this.#canResume = Boolean(readProperty(sessionCapabilities, 'resume'))
    this.#canClose = Boolean(readProperty(sessionCapabilities, 'close'))
    this.#sessionParams = { mcpServers, ...extras }
    this.#throwWithHelp = addSignInHelp(readProperty(initialized, 'authMethods'))
    this.name = readAgentName(initialized)
    this.canRestoreSessions = this.#canResume || readProperty(capabilities, 'loadSession') === true
    this.promptCapabilities = readPromptCapabilities(readProperty(capabilities, 'promptCapabilities'))
    this.unsupportedServers = unsupportedNames
    this.hasNoLateUpdates = readProperty(signalboxMeta, 'sendsNothingLate') === true
  }

  get whenClosed(): Promise<Error> {
    return this.#connection.closed
  }

  async authenticate(methodId: string): Promise<void> {
    await this.#call('authenticate', { methodId })
  }

  async newSession(cwd: string): Promise<AgentSession> {
    return readSession(await this.#call('session/new', { cwd, ...this.#sessionParams }))
  }

  async restoreSession(sessionId: string, cwd: string): Promise<AgentSession> {
    const method = this.#canResume ? 'session/resume' : 'session/load'
    return readSession(await this.#call(method, { sessionId, cwd, ...this.#sessionParams }), sessionId)
  }

  listen(sessionId: string, listener: SessionListener): void {
    this.#listeners.set(sessionId, listener)
  }

  closeSession(sessionId: string): void {
    this.#listeners.delete(sessionId)
    // Some agents keep every session open until it is closed. A failure does no harm.
    if (this.#canClose) this.#call('session/close', { sessionId }).catch(() => {})
  }

  setMode({ id: sessionId, modeOption: configId }: AgentSession, mode: string): Promise<unknown> {
    return configId === undefined
      ? this.#call('session/set_mode', { sessionId, modeId: mode })
      : this.#call('session/set_config_option', { sessionId, configId, value: mode })
  }

  /** Has no time limit, because a turn can take any time. */
  prompt(sessionId: string, prompt: ContentBlock[]): Promise<unknown> {
    return this.#connection.request('session/prompt', { sessionId, prompt }).catch(this.#throwWithHelp)
  }

  cancel(sessionId: string): void {
    this.#connection.notify('session/cancel', { sessionId })
  }

  pause(): void {
    this.#connection.pause()
  }

  resume(): void {
    this.#connection.resume()
  }

  close(reason: Error): void {
    this.#connection.close(reason)
  }

  #call(method: string, params: unknown): Promise<unknown> {
    return this.#connection.request(method, params, this.#handshakeMs).catch(this.#throwWithHelp)
  }
}

/** Passes the agent's notifications and requests to the listener of their session. */
function createHandlers(listeners: ReadonlyMap<string, SessionListener>, log: DaemonLog): Handlers {
  const listenerOf = (params: unknown) => listeners.get(String(readProperty(params, 'sessionId')))
  return {
    notification(method, params) {
      if (method === 'session/update') listenerOf(params)?.onUpdate(readUpdate(readProperty(params, 'update')))
    },
    async request(method, params, withdrawal) {
      if (method === 'session/request_permission') {
        return listenerOf(params)?.onPermissionRequest(params, withdrawal) ?? { outcome: { outcome: 'cancelled' } }
      }
      if (method === 'elicitation/create')
        return listenerOf(params)?.onElicitation(params, withdrawal) ?? { action: 'cancel' }
      throw new RpcError(rpcCodes.methodNotFound, `This client has no method ${method}.`)
    },
    onSkippedLine: logSkippedLines(log),
  }
}

function requireProtocolVersion(version: unknown): void {
  // Some agents send the number as a string.
  if (String(version) === String(initializeParams.protocolVersion)) return
  const reason =
    version === undefined
      ? 'The agent did not return a version of ACP from initialize.'
      : `The agent speaks version ${version} of ACP, not version 1.`
  throw new RpcError(rpcCodes.invalidRequest, reason)
}

const maxLoggedLines = 20
const maxLoggedLength = 200
/** An agent can report a name of any length, and responses about the health of a daemon contain the name. */
const maxAgentNameLength = 256

/** Logs the start of each of the first lines: an agent can print any number of them. */
function logSkippedLines(log: DaemonLog): (line: string) => void {
  let skipped = 0
  return (line) => {
    if (++skipped <= maxLoggedLines) log('agent.line_skipped', { line: line.slice(0, maxLoggedLength) })
    if (skipped === maxLoggedLines)
      log('agent.lines_skipped', { why: 'Further lines are skipped without a log entry.' })
  }
}

function readPromptCapabilities(capabilities: unknown): PromptCapabilities {
  const hasCapability = (name: string) => readProperty(capabilities, name) === true
  return {
    image: hasCapability('image'),
    audio: hasCapability('audio'),
    embeddedContext: hasCapability('embeddedContext'),
  }
}

function readAgentName(initialized: unknown): string | null {
  const info = readProperty(initialized, 'agentInfo')
  const name = readProperty(info, 'title') ?? readProperty(info, 'name')
  if (typeof name !== 'string') return null
  return truncateText([name, readProperty(info, 'version')].filter(Boolean).join(' '), maxAgentNameLength)
}
