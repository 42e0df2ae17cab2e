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
  permission(params: unknown, withdrawn: AbortSignal): Promise<unknown>
  elicitation(params: unknown, withdrawn: AbortSignal): Promise<unknown>
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

/** `_meta` is sent with every new and restored session. Some agents read settings from it. */
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
  const throwWithHelp = addSignInHelp(readProperty(initialized, 'authMethods'))
  const callAgent = (method: string, params: unknown) =>
    connection.request(method, params, limits.handshakeMs).catch(throwWithHelp)
  requireProtocolVersion(readProperty(initialized, 'protocolVersion'))
  if (authenticate !== undefined) await callAgent('authenticate', { methodId: authenticate })
  const capabilities = readProperty(initialized, 'agentCapabilities')
  const { offered: mcpServers, unsupported: unsupportedServers } = selectSupportedServers(servers, capabilities)
  const canResume = Boolean(readProperty(readProperty(capabilities, 'sessionCapabilities'), 'resume'))
  const canLoad = readProperty(capabilities, 'loadSession') === true
  const canClose = Boolean(readProperty(readProperty(capabilities, 'sessionCapabilities'), 'close'))

  return {
    name: readAgentName(initialized),
    canRestoreSessions: canResume || canLoad,
    promptCapabilities: readPromptCapabilities(readProperty(capabilities, 'promptCapabilities')),
    unsupportedServers,
    hasNoLateUpdates:
      readProperty(readProperty(readProperty(initialized, '_meta'), 'signalbox'), 'sendsNothingLate') === true,
    newSession: async (cwd) => readSession(await callAgent('session/new', { cwd, mcpServers, ...extras })),
    restoreSession: async (id, cwd) => {
      const restored = await callAgent(canResume ? 'session/resume' : 'session/load', {
        sessionId: id,
        cwd,
        mcpServers,
        ...extras,
      })
      return readSession(restored, id)
    },
    listen: (id, listener) => void listeners.set(id, listener),
    closeSession: (id) => {
      listeners.delete(id)
      // Some agents keep every session open until it is closed. A failure does no harm.
      if (canClose) callAgent('session/close', { sessionId: id }).catch(() => {})
    },
    setMode: ({ id: sessionId, modeOption: configId }, mode) =>
      configId === undefined
        ? callAgent('session/set_mode', { sessionId, modeId: mode })
        : callAgent('session/set_config_option', { sessionId, configId, value: mode }),
    // Without a time limit, because a turn can take any time.
    prompt: (sessionId, prompt) => connection.request('session/prompt', { sessionId, prompt }).catch(throwWithHelp),
    cancel: (sessionId) => connection.notify('session/cancel', { sessionId }),
    pause: () => connection.pause(),
    resume: () => connection.resume(),
    whenClosed: connection.closed,
    close: (reason) => connection.close(reason),
  }
}

/** Passes the agent's notifications and requests to the listener of their session. */
function createHandlers(listeners: ReadonlyMap<string, SessionListener>, log: DaemonLog): Handlers {
  const listenerOf = (params: unknown) => listeners.get(String(readProperty(params, 'sessionId')))
  return {
    notification(method, params) {
      if (method === 'session/update') listenerOf(params)?.onUpdate(readUpdate(readProperty(params, 'update')))
    },
    async request(method, params, withdrawn) {
      if (method === 'session/request_permission') {
        return listenerOf(params)?.permission(params, withdrawn) ?? { outcome: { outcome: 'cancelled' } }
      }
      if (method === 'elicitation/create')
        return listenerOf(params)?.elicitation(params, withdrawn) ?? { action: 'cancel' }
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
      ? 'The agent did not answer initialize with a version of ACP.'
      : `The agent speaks version ${version} of ACP, not version 1.`
  throw new RpcError(rpcCodes.invalidRequest, reason)
}

const maxLoggedLines = 20
const maxLoggedLength = 200
/** An agent can report a name of any length. Health answers contain it. */
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
