import type { AgentContext, ContentBlock, McpServer } from '@agentclientprotocol/sdk'

/** How a scripted agent restores old sessions, and its other abilities. */
export type ScriptedOptions = {
  restore: 'load' | 'resume' | 'never'
  /** Whether it offers the modes `manual` and `self-drive`. */
  modes: boolean
  /** Writes raw bytes, which the protocol library would not send. */
  raw: (bytes: string) => void
  /** Ends the process. */
  crash: () => void
  writeStderr: (text: string) => void
  /** Calls the model of the service, like an agent that does not report its usage. */
  askModel?: (prompt: string) => Promise<string>
  /** The supported MCP transports other than stdio, and content types. */
  supports?: string[]
  /** Whether it sends output after the end of a turn: the command `late`. */
  hasLateUpdates?: boolean
  /** The required sign-in method, if any. */
  signIn?: string
}

/** The context of a turn. */
export type ScriptContext = {
  session: Session
  sessionId: string
  client: AgentContext
  options: ScriptedOptions
  signal: AbortSignal
}

export type Session = {
  /** The last prompt. */
  blocks?: ContentBlock[]
  mode: string
  restored: boolean
  turn?: AbortController
  costUsd: number
  usage?: Record<string, number>
  /** The MCP servers that it was offered. */
  servers: McpServer[]
}

export type Command = (context: ScriptContext, rest: string) => unknown

export function say({ client, sessionId }: Pick<ScriptContext, 'client' | 'sessionId'>, text: string): Promise<void> {
  return client.notify('session/update', {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  })
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
