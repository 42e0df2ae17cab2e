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
export type OpenTurn = { abort: AbortController; ended: Promise<void> }

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

/** The open sessions by id. Each is opened in the mode `manual`. */
export function createOpenSessions(deps: {
  store: SessionStore
  newId: NewId
  now: Now
  fetch?: typeof globalThis.fetch
}) {
  const sessions = new Map<string, OpenSession>()

  const addSession = (log: SessionLog, workspace: Workspace, servers: McpServer[]): OpenSession => {
    const mcp = createSessionTools(servers, deps.now, deps.fetch)
    const session: OpenSession = { log, workspace, mode: 'manual', turn: undefined, mcp, processes: new Processes() }
    sessions.set(log.session.id, session)
    return session
  }
  const close = async (id: string) => {
    const session = sessions.get(id)
    sessions.delete(id)
    session?.turn?.abort.abort()
    clearTimeout(session?.idleTimer)
    await session?.turn?.ended
    await session?.mcp.close()
    await session?.processes.stopAll()
    await session?.log.close()
  }
  return {
    find: (id: string) => sessions.get(id),
    get(id: string): OpenSession {
      const session = sessions.get(id)
      if (!session) throw RequestError.resourceNotFound(id)
      return session
    },
    async create(cwd: string, servers: McpServer[]) {
      const workspace = await requireWorkspace(cwd)
      return addSession(await deps.store.create(deps.newId(), cwd, deps.now()), workspace, servers)
    },
    async restore(id: string, cwd: string, servers: McpServer[]) {
      if (sessions.get(id)?.turn) throw RequestError.invalidRequest(undefined, 'the session is busy with a prompt')
      await close(id)
      const workspace = await requireWorkspace(cwd)
      const found = await deps.store.open(id)
      if (!found) throw RequestError.resourceNotFound(id)
      return { session: addSession(found.log, workspace, servers), entries: found.entries }
    },
    close,
    endAll() {
      for (const { turn, mcp, processes } of sessions.values()) {
        turn?.abort.abort()
        void mcp.close()
        void processes.stopAll()
      }
    },
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
