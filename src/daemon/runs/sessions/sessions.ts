import { Refusal } from '#interns/contract/refusal.ts'
import type { Agent } from '../../acp/agent.ts'
import { RpcError } from '../../acp/rpc-message.ts'
import type { DaemonLog } from '../../log.ts'
import { type DaemonStore, StoreFailed } from '../../store/store.ts'
import type { AgentHost } from '../agent-host.ts'
import { newSession, type Session } from './session.ts'

export type Sessions = {
  /** Finds a session, or creates a session that `add` must add. */
  find(id: string): Session
  /** Adds a session when a run starts. */
  add(session: Session): void
  /** Opens the session with the agent, which is started if necessary. @throws Refusal. */
  open(session: Session): Promise<NonNullable<Session['openedWith']>>
  /** Notes that a session has no run any more, and closes the sessions that were idle longest. */
  noteRunEnd(session: Session): void
  /** Forgets the agent sessions of an agent that has ended. */
  forgetAgent(agent: Agent): void
}

type SessionsDeps = { host: AgentHost; store: DaemonStore; log: DaemonLog; workspace: string; maxIdleSessions: number }

/** The error code of the protocol for an unknown resource, such as a session. */
const notFoundCode = -32002
/** The error message of agents that do not use the code. */
const notFoundMessage = /session\b.*\b(not found|unknown|does not exist)|(unknown|no such|not find( the)?) session/is

export function createSessions({ host, store, log, workspace, maxIdleSessions }: SessionsDeps): Sessions {
  /** The sessions by id, in the order of their last run. */
  const sessions = new Map<string, Session>()

  const open = async (session: Session) => {
    const agent = await host.use()
    if (session.openedWith?.agent === agent) return session.openedWith
    const stored = store.session(session.id)
    const agentSession =
      (stored && (await restore(agent, session, stored.agentSessionId))) ?? (await create(agent, session))
    session.openedWith = { agent, agentSession }
    session.model = agentSession.model ?? session.model
    session.costUsd ??= stored?.costUsd ?? undefined
    return session.openedWith
  }
  const restore = async (agent: Agent, session: Session, agentSessionId: string) => {
    const lost = (reason: string) => {
      session.lossReason = reason
      log('session.lost', { session: session.id, why: reason })
      return undefined
    }
    if (!agent.canRestoreSessions) return lost('the agent cannot restore a session of an earlier agent process')
    try {
      return await agent.restoreSession(agentSessionId, workspace)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      if (error.code === notFoundCode || notFoundMessage.test(error.message)) return lost(error.message)
      throw new Refusal('intern_rejected', `The agent did not restore the session: ${error.message}`)
    }
  }
  const create = async (agent: Agent, session: Session) => {
    const agentSession = await agent.newSession(workspace)
    const { unsupportedServers } = agent
    store.saveSession(session.id, agentSession.id)
    session.unsupportedServers = unsupportedServers
    if (unsupportedServers.length > 0) log('mcp.withheld', { session: session.id, servers: unsupportedServers })
    session.costUsd = undefined
    return agentSession
  }
  const close = (session: Session) => {
    sessions.delete(session.id)
    if (session.openedWith) session.openedWith.agent.forget(session.openedWith.agentSession.id)
  }

  return {
    find: (id) => sessions.get(id) ?? newSession(id),
    add: (session) => void sessions.set(session.id, session),
    open: (session) => open(session).catch((error) => Promise.reject(toRefusal(error))),
    noteRunEnd: (session) => {
      // The next run has started meanwhile.
      if (session.run) return
      sessions.delete(session.id)
      if (!session.openedWith) return
      sessions.set(session.id, session)
      // A closed session would lose its conversation.
      if (!session.openedWith.agent.canRestoreSessions) return
      for (const oldest of sessions.values()) {
        if (sessions.size <= maxIdleSessions) return
        if (!oldest.run) close(oldest)
      }
    },
    forgetAgent: (agent) => {
      for (const session of sessions.values()) {
        if (session.openedWith?.agent !== agent) continue
        session.openedWith = undefined
        if (!session.run) sessions.delete(session.id)
      }
    },
  }
}

/** Converts the failure to open a session: the agent refused, has ended, or the disk is full. */
function toRefusal(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error
  if (error instanceof StoreFailed) return new Refusal('turn_failed', error.message)
  return new Refusal('intern_rejected', `The agent did not accept the turn: ${error.message}`)
}
