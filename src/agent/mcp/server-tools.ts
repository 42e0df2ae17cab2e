import { createHash } from 'node:crypto'
import type { Client } from '@modelcontextprotocol/client'
import type { Now } from '#platform/core/clock.ts'
import { printable } from '#platform/text/printable.ts'
import { truncateText } from '#platform/text/truncate.ts'
import { heartbeatMs, type Tool, type ToolContext, type ToolOutput } from '../tools/tool.ts'
import { callTool } from './calls/call-tool.ts'
import { PendingCalls } from './calls/pending-calls.ts'
import { connectServer, type RunLocation, type ServerConnection } from './connect-server.ts'
import { createHiddenPathHint } from './hidden-paths.ts'
import { type ListedTool, listTools, type ToolList } from './list-tools.ts'
import { findRequestFailure, UnknownSession } from './request-failure.ts'
import { type McpServerSpec, redactSecrets } from './server-spec.ts'
import { toToolName } from './tool-names.ts'
import { toToolOutput } from './tool-result.ts'

/** A description is part of every request to the model. */
const maxDescriptionLength = 2_000
const maxTitleLength = 200
/** The most starts of a server within a period, in case it fails repeatedly. */
const startLimit = { maxStarts: 5, withinMs: 10 * 60_000 }
/** The sentences about side effects in errors of failed requests. Listing tools has no side effects, so it needs none. */
const noSideEffects = ''
const unknownSideEffects = 'Whether the call did anything is unknown. '

/** A start in progress, with the signal of the call that needed it first. */
type ServerStart = { connection: Promise<ServerConnection>; sandbox: boolean; signal: AbortSignal }

/** `canAsk`: the client of the agent can show questions. `fetch` defaults to the global one. */
export type ServerDeps = { now: Now; canAsk: boolean; fetch?: typeof globalThis.fetch | undefined }

/** One MCP server of a session, and its tools. It is started when it is needed, and restarted after it has died. */
export class ServerTools {
  readonly spec: McpServerSpec
  readonly #deps: ServerDeps
  readonly #pending = new PendingCalls()
  #connected: ServerConnection | undefined
  #start: ServerStart | undefined
  /** The number of requests in flight on each connection, also on those that were replaced. */
  readonly #inFlight = new Map<ServerConnection, number>()
  #listed: ToolList | undefined
  /** How often the list of tools became outdated. */
  #listChanges = 0
  #startTimes: number[] = []
  /** Why the server last failed to start, or ended. */
  #lastFailure: string | undefined

  constructor(spec: McpServerSpec, deps: ServerDeps) {
    this.spec = spec
    this.#deps = deps
  }

  /** Returns the tools. Starts the server if it is not running. @throws Error with the reason of a failure. */
  async tools(location: RunLocation, signal: AbortSignal): Promise<{ tools: Tool[]; excluded: string[] }> {
    const options = { signal, timeout: this.spec.timeoutMs }
    // Before the cached list is used, because a connection that has ended clears it.
    await this.#connect(location, signal)
    const changes = this.#listChanges
    const list =
      this.#listed ?? (await this.#request(location, signal, noSideEffects, (client) => listTools(client, options)))
    // A list that has changed meanwhile is read again for the next turn.
    if (changes === this.#listChanges) this.#listed = list
    const { tools, excluded } = list
    return { tools: tools.map((tool) => this.#toTool(tool)), excluded }
  }

  async close(): Promise<void> {
    const connected = this.#connected ?? (await this.#start?.connection.catch(() => undefined))
    this.#connected = undefined
    this.#forgetList()
    await connected?.close()
  }

  #forgetList(): void {
    this.#listed = undefined
    this.#listChanges++
  }

  #toTool(listed: ListedTool): Tool {
    const { name: server } = this.spec
    const name = toToolName(server, listed.name)
    const description = truncateText(
      redactSecrets(this.spec, `[${server}] ${listed.description}`),
      maxDescriptionLength,
    )
    const title = `${server}: ${truncateText(printable(redactSecrets(this.spec, listed.title)), maxTitleLength)}`
    const parameters = JSON.parse(redactSecrets(this.spec, JSON.stringify(listed.parameters)))
    // A server can change a tool without renaming it, so a permission for the session covers only this version.
    const permissionKey = `${name}#${createHash('sha256').update(JSON.stringify(listed.definition)).digest('hex')}`
    return {
      name,
      kind: 'other',
      handlesPermission: true,
      runsAlone: !listed.isReadOnly,
      spec: { name, description, parameters },
      title: () => title,
      run: async (input, context) => {
        if (!(await context.requestPermission({ operation: name, title, kind: 'other', permissionKey })))
          return 'The user did not allow this call. It was not made. Continue without it.'
        return this.#call(listed.definition, input, context)
      },
    }
  }

  async #call(
    toolDefinition: ListedTool['definition'],
    input: Record<string, unknown>,
    context: ToolContext,
  ): Promise<ToolOutput> {
    const location = await findRunLocation(context)
    const heartbeat = setInterval(() => this.#pending.isAsking || context.notifyProgress(), heartbeatMs)
    try {
      context.notifyProgress()
      const deps = { spec: this.spec, pending: this.#pending, ...this.#deps }
      const result = await this.#request(location, context.signal, unknownSideEffects, (client) =>
        callTool(deps, { client, tool: toolDefinition, input, context }),
      )
      const { text, images } = toToolOutput(result)
      return { text: redactSecrets(this.spec, text), images }
    } catch (error) {
      context.signal.throwIfAborted()
      throw new Error(redactSecrets(this.spec, (error as Error).message))
    } finally {
      clearInterval(heartbeat)
    }
  }

  /**
   * Makes a request, and makes it again in a new session if the server does not know the session of the connection.
   * @param outcome the part of an error message about the side effects of a request that was not answered properly.
   */
  async #request<T>(
    location: RunLocation,
    signal: AbortSignal,
    outcome: string,
    send: (client: Client) => Promise<T>,
  ): Promise<T> {
    const attempt = async () => {
      const connection = await this.#connect(location, signal)
      this.#countInFlight(connection, 1)
      try {
        return await send(connection.client)
      } catch (error) {
        const failure = await findRequestFailure(error, { spec: this.spec, connection, outcome })
        this.#lastFailure = connection.exitReason() ?? this.#lastFailure
        if (failure.mustReconnect && this.#connected === connection) await this.#replaceConnection()
        throw failure.error
      } finally {
        this.#countInFlight(connection, -1)
      }
    }
    return attempt().catch((error) => (error instanceof UnknownSession ? attempt() : Promise.reject(error)))
  }

  /** Lets the next request open a new connection. Other requests on a connection to a URL can still be answered. */
  async #replaceConnection(): Promise<void> {
    if (this.spec.type === 'stdio') return this.close()
    this.#connected = undefined
    this.#forgetList()
  }

  /** Closes a connection that was replaced with its last request. */
  #countInFlight(connection: ServerConnection, change: 1 | -1): void {
    const count = (this.#inFlight.get(connection) ?? 0) + change
    if (count > 0) return void this.#inFlight.set(connection, count)
    this.#inFlight.delete(connection)
    if (this.#connected !== connection) void connection.close()
  }

  async #connect(location: RunLocation, signal: AbortSignal): Promise<ServerConnection> {
    const isAtLocation = ({ sandbox }: { sandbox: boolean }) =>
      this.spec.type !== 'stdio' || sandbox === location.sandbox
    for (;;) {
      const existing = this.#connected
      if (existing && existing.exitReason() === undefined && isAtLocation(existing)) return existing
      if (existing) {
        await this.close()
        // Another call can have started the server meanwhile.
        continue
      }
      this.#start ??= this.#newStart(location, signal)
      const start = this.#start
      // The shared start may belong to another location, or to a call that was cancelled. In both cases, retry.
      const connection = await start.connection.catch((error: unknown) => {
        if (signal.aborted || (isAtLocation(start) && !start.signal.aborted)) throw error
      })
      if (connection && isAtLocation(start)) return connection
    }
  }

  #newStart(location: RunLocation, signal: AbortSignal): ServerStart {
    const connection = this.#startServer(location, signal).finally(() => {
      this.#start = undefined
    })
    return { connection, sandbox: location.sandbox, signal }
  }

  async #startServer(location: RunLocation, signal: AbortSignal): Promise<ServerConnection> {
    const now = this.#deps.now()
    const { name } = this.spec
    this.#startTimes = this.#startTimes.filter((at) => now - at < startLimit.withinMs)
    if (this.#startTimes.length >= startLimit.maxStarts) {
      const minutes = startLimit.withinMs / 60_000
      const failure = this.#lastFailure ? ` Its last failure: ${this.#lastFailure}` : ''
      const message = `The server ${name} was started ${startLimit.maxStarts} times within ${minutes} minutes and is not started again for now.${failure}`
      throw new Error(redactSecrets(this.spec, message))
    }
    this.#startTimes.push(now)
    try {
      this.#connected = await connectServer(
        this.spec,
        { ...location, fetch: this.#deps.fetch ?? globalThis.fetch },
        {
          onToolsChanged: () => this.#forgetList(),
          askUser: this.#deps.canAsk ? (question, signal) => this.#pending.ask(question, signal) : undefined,
        },
        signal,
      )
      // Connecting to a URL is cheap, and a server can refuse requests without having failed.
      if (this.spec.type !== 'stdio') this.#startTimes.pop()
      return this.#connected
    } catch (error) {
      signal.throwIfAborted()
      const hint = location.sandbox ? createHiddenPathHint(this.spec, location) : ''
      this.#lastFailure = `${(error as Error).message}.${hint}`
      throw new Error(redactSecrets(this.spec, `The server ${name} cannot be reached: ${this.#lastFailure}`))
    }
  }
}

/**
 * Returns where the servers of a session run: in the sandbox or outside of it, like the shell commands of the mode. In
 * self-drive they run outside of it, and also in an intern's pod, which is itself a sandbox. With the setting `refuse` they
 * run in the sandbox even if none works; their start then fails.
 */
export async function findRunLocation({
  mode,
  shell,
  workspace,
}: Pick<ToolContext, 'mode' | 'shell' | 'workspace'>): Promise<RunLocation> {
  const { root } = workspace
  if (mode === 'self-drive' || shell.sandboxFallback === 'pod') return { shell, workspace: root, sandbox: false }
  const hasSandbox = (await shell.sandboxError(root)) === undefined
  return { shell, workspace: root, sandbox: hasSandbox || shell.sandboxFallback === 'refuse' }
}
