import { Refusal } from '#interns/contract/refusal.ts'
import type { Agent } from '../acp/agent.ts'
import { ConnectionLost, RpcError } from '../acp/connection.ts'
import type { DaemonLog } from '../log.ts'
import { type DaemonStore, StoreFailed } from '../store/store.ts'
import type { AgentHost } from './agent-host.ts'
import { newSession, type Session } from './session.ts'

export type Sessions = {
  /** The session of that name; a new one, which is not kept yet, when there is none. */
  find(id: string): Session
  /** A turn begins in the session. */
  keep(session: Session): void
  /** The session opened with the running agent, which is started when there is none. Throws a `Refusal`. */
  open(session: Session): Promise<NonNullable<Session['opened']>>
  /** A session has ended its turn: the sessions that were idle longest are closed. */
  rest(session: Session): void
  /** An agent has ended, and its sessions with it. */
  lost(agent: Agent): void
}

type SessionsDeps = { host: AgentHost; store: DaemonStore; log: DaemonLog; workspace: string; maxIdleSessions: number }

/** The error of the protocol for a session (or anything) that an agent does not know. */
const unknownToAgent = -32002
/** The same, from agents that have no number for it. */
const unknownInWords = /session\b.*\b(not found|unknown|does not exist)|(unknown|no such|not find( the)?) session/is

export function createSessions({ host, store, log, workspace, maxIdleSessions }: SessionsDeps): Sessions {
  /** In the order of their last turn. */
  const sessions = new Map<string, Session>()

  const open = async (session: Session) => {
    const agent = await host.use()
    if (session.opened?.agent === agent) return session.opened
    const known = store.session(session.id)
    const as = (known && (await restore(agent, session, known.agentSessionId))) ?? (await begin(agent, session))
    session.opened = { agent, as }
    session.model = as.model ?? session.model
    session.costUsd ??= known?.costUsd ?? undefined
    return session.opened
  }
  const restore = async (agent: Agent, session: Session, agentSessionId: string) => {
    const lost = (why: string) => {
      session.lost = why
      log('session.lost', { session: session.id, why })
      return undefined
    }
    if (!agent.remembers) return lost('the agent cannot take up a session that an earlier process of it began')
    try {
      return await agent.restoreSession(agentSessionId, workspace)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      if (error.code === unknownToAgent || unknownInWords.test(error.message)) return lost(error.message)
      throw new Refusal('intern_rejected', `The agent did not take up the session again: ${error.message}`)
    }
  }
  const begin = async (agent: Agent, session: Session) => {
    const as = await agent.newSession(workspace)
    store.saveSession(session.id, as.id)
    session.withheld = agent.withheld
    if (agent.withheld.length > 0) log('mcp.withheld', { session: session.id, servers: agent.withheld })
    session.costUsd = undefined
    return as
  }
  const putAway = (session: Session) => {
    sessions.delete(session.id)
    if (session.opened) session.opened.agent.forget(session.opened.as.id)
  }

  return {
    find: (id) => sessions.get(id) ?? newSession(id),
    keep: (session) => void sessions.set(session.id, session),
    open: (session) => open(session).catch((error) => Promise.reject(asRefusal(error))),
    rest: (session) => {
      if (session.run) return
      if (!session.opened) return void sessions.delete(session.id)
      sessions.delete(session.id)
      sessions.set(session.id, session)
      if (!session.opened.agent.remembers) return
      for (const oldest of sessions.values()) {
        if (sessions.size <= maxIdleSessions) return
        if (!oldest.run) putAway(oldest)
      }
    },
    lost: (agent) => {
      for (const session of sessions.values()) {
        if (session.opened?.agent !== agent) continue
        session.opened = undefined
        if (!session.run) sessions.delete(session.id)
      }
    },
  }
}

/** Why a session could not be opened: the intern would not take the work, or its agent went, or its disk is full. */
function asRefusal(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error
  if (error instanceof StoreFailed) return new Refusal('turn_failed', error.message)
  if (error instanceof ConnectionLost) return new Refusal('stream_severed', error.message)
  return new Refusal('intern_rejected', `The agent did not take the turn: ${error.message}`)
}
