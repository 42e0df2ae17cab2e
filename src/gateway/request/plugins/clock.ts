import type { ChatRequest } from '#chat/chat-request.ts'
import { Fault } from '#platform/core/fault.ts'
import { faultStatus } from '#platform/http/response/faults.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import type { CompletionCall } from '../../completion-call.ts'
import type { Body, ClientProtocol } from '../../protocol/protocol.ts'
import type { PreparedRequest } from '../prepared-request.ts'
import { ClockRounds, clockName } from './clock-round.ts'
import type { PluginOptions } from './plugin-options.ts'

/** The most rounds of tool calls for one request. */
const mostRounds = 4

const tool = {
  type: 'function',
  function: {
    name: clockName,
    description: 'Tells the current date and time.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
  },
}

/** Asks for one answer, as a request of its own: judged, metered and charged like any other. */
type AskOnce = (
  asked: PreparedRequest,
  client: ClientProtocol,
  response: ResponseStream,
) => Buffer | object | undefined | Promise<Buffer | object | undefined>

/**
 * Asks until the model no longer wants to know the time. Calls of the client's own tools end it, as they end every
 * answer.
 * @throws Fault as a request does, as long as nothing has been said.
 */
export async function withClock(
  { timezone }: NonNullable<PluginOptions['clock']>,
  { client, response }: Pick<CompletionCall, 'client' | 'response'>,
  filled: PreparedRequest,
  now: () => number,
  askOnce: AskOnce,
): Promise<Buffer | object | undefined> {
  const rounds = new ClockRounds(client, filled.body)
  let chat = withTool(client.toChat(withoutClock(filled.body)))
  for (let round = 1; ; round++) {
    const isLast = round === mostRounds
    rounds.begin(isLast)
    const asked = isLast ? { ...chat, tool_choice: 'none' as const } : chat
    try {
      const body = { ...asked, ...hasOtherPlugins(filled.body) }
      const answer = await askOnce({ ...filled, chat: asked, body }, rounds.client, rounds.response(response))
      if (rounds.calls.length === 0 || response.signal.aborted) return answer
    } catch (error) {
      if (!(error instanceof Fault) || !response.opened) throw error
      const { kind, message } = error
      response.write(rounds.fail({ code: faultStatus[kind], message }) ?? '')
      response.end()
      return undefined
    }
    const content = JSON.stringify({ datetime: timeIn(timezone, now()), timezone })
    const results = rounds.calls.map((id) => ({ role: 'tool', tool_call_id: id, content }))
    const messages = [...chat.messages, rounds.message, ...results] as ChatRequest['messages']
    // The forced tool call is done.
    chat = { ...chat, messages, ...(chat.tool_choice && { tool_choice: 'auto' as const }) }
  }
}

/** The plugin fields of the body that a chat made from another protocol does not contain. */
function hasOtherPlugins({ plugins, transforms, truncation }: Body): Body {
  return { plugins, transforms: truncation === 'auto' ? ['middle-out'] : transforms }
}

const isClock = (one: unknown) => (one as { type?: unknown } | null)?.type === 'openrouter:datetime'

function withoutClock(body: Body): Body {
  const { tools, ...rest } = body
  const own = (tools as unknown[]).filter((one) => !isClock(one))
  return own.length > 0 ? { ...rest, tools: own } : rest
}

function withTool(chat: ChatRequest): ChatRequest {
  const choice = isClock(chat.tool_choice) ? { tool_choice: { type: 'function', function: { name: clockName } } } : {}
  return { ...chat, ...choice, tools: [...(chat.tools ?? []), tool] }
}

/** ISO 8601, as the clocks of the zone show it. */
export function timeIn(timezone: string, at: number): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  const [, sign = '+', hours = '00', minutes = '00'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  const ahead = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes))
  const local = new Date(at + ahead * 60_000).toISOString().slice(0, -1)
  return `${local}${sign}${hours}:${minutes}`
}
