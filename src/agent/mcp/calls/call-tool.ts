import type { Client, ElicitRequestURLParams } from '@modelcontextprotocol/client'
import type { Now } from '#platform/core/clock.ts'
import type { ToolContext } from '../../tools/tool.ts'
import type { ListedTool } from '../list-tools.ts'
import type { McpServerSpec } from '../server-spec.ts'
import { CallTimer } from './call-timer.ts'
import type { PendingCalls } from './pending-calls.ts'
import { toQuestion } from './server-requests.ts'

/** Each progress report restarts the timeout of a call. The total time of a call is at most this multiple of its timeout. */
const maxTotalFactor = 20
/** The longest delay of a timer in Node. As the timeout of the MCP client, it disables that timeout. */
const maxTimerMs = 2 ** 31 - 1
/** The most URL elicitations of one call: refusals of the server until the user has opened a URL. */
const maxUrlElicitations = 3

type CallDeps = { spec: McpServerSpec; pending: PendingCalls; now: Now; canAsk: boolean }
type Call = { client: Client; tool: ListedTool['definition']; input: Record<string, unknown>; context: ToolContext }

/**
 * Calls a tool of an MCP server. If the server requires a URL elicitation (MCP error -32042), asks the user to open the URLs, and
 * repeats the call. @throws the errors of the MCP client.
 */
export async function callTool(deps: CallDeps, call: Call) {
  for (let round = 1; ; round++) {
    try {
      return await sendCall(deps, call)
    } catch (error) {
      const elicitations = deps.canAsk && round <= maxUrlElicitations ? await readUrlElicitations(error) : []
      if (elicitations.length === 0) throw error
      await askToOpen(deps, call, elicitations)
    }
  }
}

/** Ends the call at its time limit. The timeout of the MCP client would include the time in which the user answers questions. */
async function sendCall({ spec, pending, now }: CallDeps, { client, tool, input, context }: Call) {
  const { SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client')
  const controller = new AbortController()
  const limits = { timeoutMs: spec.timeoutMs, maxTotalMs: spec.timeoutMs * maxTotalFactor }
  const timer = new CallTimer(limits, now, (isTotalTimeout) => {
    const data = isTotalTimeout ? { maxTotalTimeout: limits.maxTotalMs } : {}
    controller.abort(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out', data))
  })
  const options = {
    signal: AbortSignal.any([context.signal, controller.signal]),
    timeout: maxTimerMs,
    toolDefinition: tool,
    // The client requests progress only if there is a listener.
    onprogress: ({ message }: { message?: string }) => {
      timer.restart()
      context.notifyProgress(message)
    },
  }
  return pending.track({ context, timer }, () => client.callTool({ name: tool.name, arguments: input }, options))
}

/** Reads the URLs that the user must open before the call. The server is not trusted, so entries without a URL are dropped. */
async function readUrlElicitations(error: unknown): Promise<ElicitRequestURLParams[]> {
  const { UrlElicitationRequiredError } = await import('@modelcontextprotocol/client')
  if (!(error instanceof UrlElicitationRequiredError) || !Array.isArray(error.elicitations)) return []
  return error.elicitations.filter((elicitation) => typeof elicitation?.url === 'string')
}

/** @throws ProtocolError if the user does not open one of the URLs. */
async function askToOpen(
  { spec, pending }: CallDeps,
  { context }: Call,
  elicitations: ElicitRequestURLParams[],
): Promise<void> {
  const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/client')
  const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
  for (const elicitation of elicitations) {
    const message = String(elicitation.message ?? '')
    const question = toQuestion(spec, { ...elicitation, mode: 'url', message }, invalid)
    const { action } = await pending.askDuringCall(context, question)
    if (action !== 'accept') throw invalid(`The user did not open the page that the server ${spec.name} needs.`)
  }
}
