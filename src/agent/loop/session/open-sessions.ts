import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { type McpServer, RequestError } from '@agentclientprotocol/sdk'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import { openConfined } from '#platform/files/confined-folder.ts'
import { createSessionTools, type SessionTools } from '../../mcp/session-tools.ts'
import { Processes } from '../../sandbox/processes.ts'
import type { Workspace } from '../../tools/files/workspace.ts'
import type { ApprovalMode } from '../../tools/tool.ts'
import type { SessionLog, SessionStore } from './session-store.ts'

/** A prompt that is being answered. `ended` resolves when it ends, also after a failure. */
type OpenTurn = { controller: AbortController; ended: Promise<void> }

/** A session that is open in this process. A change of `mode` applies from the next prompt. */
export type OpenSession = {
  log: SessionLog
  workspace: Workspace
  mode: ApprovalMode
  turn: OpenTurn | undefined
  mcp: SessionTools
  processes: Processes
  /** Ends the MCP servers of an idle session. */
  idleTimer?: NodeJS.Timeout
}

type OpenSessionsDeps = {
  store: SessionStore
  newId: NewId
  now: Now
  /** Whether the client can show questions of MCP servers. */
  supportsForms: () => boolean
  fetch?: typeof globalThis.fetch
}

/** The open sessions by id. Each is opened in the mode `manual`. */
export class OpenSessions {
  readonly #deps: OpenSessionsDeps
  readonly #sessions = new Map<string, OpenSession>()

  constructor(deps: OpenSessionsDeps) {
    this.#deps = deps
  }

  find(id: string): OpenSession | undefined {
    return this.#sessions.get(id)
  }

  /** @throws RequestError if the session is not open. */
  get(id: string): OpenSession {
    const session = this.#sessions.get(id)
    if (!session) throw RequestError.resourceNotFound(id)
    return session
  }

  async create(cwd: string, servers: McpServer[]): Promise<OpenSession> {
    const { store, newId, now } = this.#deps
    const workspace = await requireWorkspace(cwd)
    return this.#add(await store.create(newId(), cwd, now()), workspace, servers)
  }

  /** Opens a stored session again. @returns the session and its entries. @throws RequestError if it has a turn or is unknown. */
  async restore(id: string, cwd: string, servers: McpServer[]) {
    if (this.#sessions.get(id)?.turn) throw RequestError.invalidRequest(undefined, 'the session is busy with a prompt')
    await this.close(id)
    const workspace = await requireWorkspace(cwd)
    const found = await this.#deps.store.open(id)
    if (!found) throw RequestError.resourceNotFound(id)
    return { session: this.#add(found.log, workspace, servers), entries: found.entries }
  }

  /** Ends the turn, the MCP servers and the processes of a session, if it is open. */
  async close(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    this.#sessions.delete(id)
    session?.turn?.controller.abort()
    clearTimeout(session?.idleTimer)
    await session?.turn?.ended
    await session?.mcp.close()
    await session?.processes.stopAll()
    await session?.log.close()
  }

  /** Ends the work of all sessions when the client has disconnected. */
  endAll(): void {
    for (const { turn, mcp, processes } of this.#sessions.values()) {
      turn?.controller.abort()
      void mcp.close()
      void processes.stopAll()
    }
  }

  #add(log: SessionLog, workspace: Workspace, servers: McpServer[]): OpenSession {
    const { now, supportsForms, fetch } = this.#deps
    const mcp = createSessionTools(servers, { now, canAsk: supportsForms(), fetch })
    const session: OpenSession = { log, workspace, mode: 'manual', turn: undefined, mcp, processes: new Processes() }
    this.#sessions.set(log.session.id, session)
    return session
  }
}

async function requireWorkspace(cwd: string): Promise<Workspace> {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams(undefined, 'cwd must be an absolute path')
  const found = await stat(cwd).catch(() => undefined)
  if (!found?.isDirectory()) throw RequestError.invalidParams(undefined, `cwd is not a folder: ${cwd}`)
  const workspace = await openConfined(cwd)
  // The sandbox hides everything outside the workspace, so the workspace must not be the root folder.
  if (workspace.root === '/')
    throw RequestError.invalidParams(undefined, 'the workspace cannot be the whole file system')
  return workspace
}
