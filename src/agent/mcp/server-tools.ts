import { createHash } from 'node:crypto'
import { printable } from '#platform/text/printable.ts'
import type { Tool, ToolContext, ToolOutput } from '../tools/tool.ts'
import { type Connected, connectServer, type Place } from './connect-server.ts'
import { hiddenPathHint } from './hidden-paths.ts'
import { type ListedTool, listTools, type ToolList } from './list-tools.ts'
import { type McpServerSpec, withoutSecrets } from './server-spec.ts'
import { toolNameOf } from './tool-names.ts'
import { outputOf } from './tool-result.ts'

const maxDescriptionLength = 2_000
/** Limits the starts of a server that fails repeatedly. */
const starts = { most: 5, withinMs: 10 * 60_000 }
const pingMs = 5_000
const beatMs = 15_000
/** Each progress report restarts the timeout of a call; a call ends after this many timeouts in any case. */
const maxTimeouts = 20

/** A server of a session. It is started when it is needed, and restarted after it has died. */
export class ServerTools {
  readonly spec: McpServerSpec
  readonly #now: () => number
  readonly #fetch: typeof globalThis.fetch
  #connected: Connected | undefined
  #connecting: Promise<Connected> | undefined
  #listed: ToolList | undefined
  #startedAt: number[] = []

  constructor(spec: McpServerSpec, now: () => number, fetch: typeof globalThis.fetch) {
    this.spec = spec
    this.#now = now
    this.#fetch = fetch
  }

  /** Returns the tools. Starts the server if it is not running. @throws Error with the reason of a failure. */
  async tools(place: Place, signal: AbortSignal): Promise<{ tools: Tool[]; excluded: string[] }> {
    const { client } = await this.#connect(place, signal)
    const options = { signal, timeout: this.spec.timeoutMs }
    this.#listed ??= await this.#describeErrors(listTools(client, options))
    const { tools, excluded } = this.#listed
    return { tools: tools.map((tool) => this.#toolOf(tool)), excluded }
  }

  async close(): Promise<void> {
    const connected = this.#connected ?? (await this.#connecting?.catch(() => undefined))
    this.#connected = undefined
    this.#listed = undefined
    await connected?.close()
  }

  #toolOf(listed: ListedTool): Tool {
    const { name: server } = this.spec
    const name = toolNameOf(server, listed.name)
    const description = withoutSecrets(this.spec, `[${server}] ${listed.description}`).slice(0, maxDescriptionLength)
    const title = `${server}: ${printable(withoutSecrets(this.spec, listed.title)).slice(0, 200)}`
    const parameters = JSON.parse(withoutSecrets(this.spec, JSON.stringify(listed.parameters)))
    // A server can change a tool without renaming it, so a consent for the session covers only this version.
    const as = `${name}#${createHash('sha256').update(JSON.stringify(listed.definition)).digest('hex')}`
    return {
      name,
      kind: 'other',
      asksPermission: true,
      runsAlone: !listed.isReadOnly,
      description: { name, description, parameters },
      title: () => title,
      run: async (input, context) => {
        if (!(await context.permitted(name, title, 'other', as)))
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
    const { signal } = context
    const place = await placeFor(context)
    const beat = setInterval(context.working, beatMs)
    try {
      context.working()
      const { client } = await this.#connect(place, signal)
      const timeout = this.spec.timeoutMs
      // The client requests progress only if there is a listener.
      const progress = {
        onprogress: ({ message }: { message?: string }) => context.working(message),
        resetTimeoutOnProgress: true,
        maxTotalTimeout: timeout * maxTimeouts,
      }
      const options = { signal, timeout, toolDefinition, ...progress }
      const request = client.callTool({ name: toolDefinition.name, arguments: input }, options)
      const { text, images } = outputOf(await this.#describeErrors(request))
      return { text: withoutSecrets(this.spec, text), ...(images && { images }) }
    } catch (error) {
      signal.throwIfAborted()
      throw new Error(withoutSecrets(this.spec, (error as Error).message))
    } finally {
      clearInterval(beat)
    }
  }

  /** Waits for a request. If it fails, reports the state of the server and closes one that has ended or hangs. */
  async #describeErrors<T>(request: Promise<T>): Promise<T> {
    const connected = this.#connected
    try {
      return await request
    } catch (error) {
      const { ProtocolError, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client')
      if (error instanceof ProtocolError || !connected) throw error
      const { name, timeoutMs } = this.spec
      const unknownOutcome = 'Whether the call did anything is unknown. The server is started again with the next call.'
      const isTimeout = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
      if (isTimeout && (await answers(connected))) {
        const { maxTotalTimeout = timeoutMs } = (error.data ?? {}) as { maxTotalTimeout?: number }
        throw new Error(`The server ${name} did not finish within ${maxTotalTimeout / 1000} s; the call was given up.`)
      }
      const reason = connected.exitReason() ?? (error as Error).message
      if (this.#connected === connected) await this.close()
      const why = isTimeout ? `did not answer within ${timeoutMs / 1000} s, and hangs` : `has ended: ${reason}`
      throw new Error(`The server ${name} ${why}. ${unknownOutcome}`)
    }
  }

  async #connect(place: Place, signal: AbortSignal): Promise<Connected> {
    const existing = this.#connected
    const isCommand = this.spec.type === 'stdio'
    if (existing && existing.exitReason() === undefined && (!isCommand || existing.sandbox === place.sandbox))
      return existing
    if (existing) await this.close()
    this.#connecting ??= this.#start(place, signal).finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #start(place: Place, signal: AbortSignal): Promise<Connected> {
    const now = this.#now()
    const { name } = this.spec
    this.#startedAt = this.#startedAt.filter((at) => now - at < starts.withinMs)
    if (this.#startedAt.length >= starts.most) {
      const minutes = starts.withinMs / 60_000
      throw new Error(
        `The server ${name} was started ${starts.most} times within ${minutes} minutes and is not started again for now.`,
      )
    }
    this.#startedAt.push(now)
    try {
      this.#connected = await connectServer(
        this.spec,
        { ...place, fetch: this.#fetch },
        () => (this.#listed = undefined),
        signal,
      )
      return this.#connected
    } catch (error) {
      signal.throwIfAborted()
      const hint = place.sandbox ? hiddenPathHint(this.spec, place) : ''
      const message = `The server ${name} cannot be reached: ${(error as Error).message}.${hint}`
      throw new Error(withoutSecrets(this.spec, message))
    }
  }
}

/** Returns where the servers of a session run. @throws Error if they cannot run. */
export async function placeFor({
  mode,
  shell,
  workspace,
}: Pick<ToolContext, 'mode' | 'shell' | 'workspace'>): Promise<Place> {
  const { root } = workspace
  if (mode === 'self-drive' || shell.withoutSandbox === 'pod') return { shell, workspace: root, sandbox: false }
  const why = await shell.sandboxError(root)
  return { shell, workspace: root, sandbox: why === undefined || shell.withoutSandbox === 'refuse' }
}

const answers = ({ client }: Connected) =>
  client.ping({ timeout: pingMs }).then(
    () => true,
    () => false,
  )
