import type { ChatRequest } from '#chat/chat-request.ts'
import { Fault } from '#platform/core/fault.ts'
import { faultStatus } from '#platform/http/response/faults.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import type { WholeBody } from '../../protocol/client-protocol.ts'
import type { Body } from '../../protocol/request-body.ts'
import { type PreparedRequest, translateBody } from '../prepared-request.ts'
import { clockName, type RoundPosition } from './clock-round.ts'
import { ClockRounds } from './clock-rounds.ts'
import type { PluginOptions } from './plugin-options.ts'

/** The maximum number of rounds for one request, because some models call a tool again and again. */
const maxRounds = 4

const clockTool = {
  type: 'function',
  function: {
    name: clockName,
    description: 'Returns the current date and time.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
  },
}

/** Completes one round like a separate request: it passes the policy, and is metered and charged. */
type CompleteRound = (round: PreparedRequest, response: ResponseStream) => Promise<WholeBody | undefined>

/**
 * Serves a request with OpenRouter's server tool `openrouter:datetime`, the clock. Each round is one completion. If the model
 * calls the clock, the next round sends the time as the result of the call. The response ends when the model does not call the
 * clock, or calls a tool of the client, which the client runs.
 * @throws Fault if a round fails before the response is open.
 */
export async function completeInRounds(
  { timezone }: NonNullable<PluginOptions['clock']>,
  response: ResponseStream,
  prepared: PreparedRequest,
  now: () => number,
  completeRound: CompleteRound,
): Promise<WholeBody | undefined> {
  const rounds = new ClockRounds(prepared.client, prepared.body)
  let chat = withClockTool(translateBody(prepared.client, withoutClock(prepared.body)))
  for (let round = 1; ; round++) {
    const isLast = round === maxRounds
    rounds.startRound(positionOf(round))
    const roundChat = isLast ? { ...chat, tool_choice: 'none' as const } : chat
    try {
      const body = { ...roundChat, ...otherPlugins(prepared.body) }
      // The protocol of the round writes the client's response, and collects the calls of the clock, which are read below.
      const roundRequest = { ...prepared, chat: roundChat, body, client: rounds.roundProtocol }
      const modelResponse = await completeRound(roundRequest, rounds.createRoundResponse(response))
      if (isLast || rounds.callsWithoutResult.length === 0 || response.signal.aborted) return modelResponse
    } catch (error) {
      if (!(error instanceof Fault) || !response.opened) throw error
      const { kind, message } = error
      response.write(rounds.fail({ code: faultStatus[kind], message }) ?? '')
      response.end()
      return undefined
    }
    const content = JSON.stringify({ datetime: formatLocalTime(timezone, now()), timezone })
    const results = rounds.callsWithoutResult.map((id) => ({ role: 'tool', tool_call_id: id, content }))
    const messages = [...chat.messages, rounds.assistantMessage, ...results] as ChatRequest['messages']
    // A forced tool call was made, so the model now chooses.
    chat = { ...chat, messages, ...(chat.tool_choice && { tool_choice: 'auto' as const }) }
  }
}

function positionOf(round: number): RoundPosition {
  if (round === 1) return 'first'
  return round === maxRounds ? 'last' : 'middle'
}

/** The plugin fields of the body, which a translated chat does not contain. */
function otherPlugins({ plugins, transforms, truncation }: Body): Body {
  return { plugins, transforms: truncation === 'auto' ? ['middle-out'] : transforms }
}

const isClock = (toolOrChoice: unknown) => (toolOrChoice as { type?: unknown } | null)?.type === 'openrouter:datetime'

function withoutClock(body: Body): Body {
  const { tools, ...rest } = body
  // The caller found the clock in `tools`, so `tools` is a list.
  const otherTools = (tools as unknown[]).filter((candidate) => !isClock(candidate))
  return otherTools.length > 0 ? { ...rest, tools: otherTools } : rest
}

function withClockTool(chat: ChatRequest): ChatRequest {
  const choice = isClock(chat.tool_choice) ? { tool_choice: { type: 'function', function: { name: clockName } } } : {}
  return { ...chat, ...choice, tools: [...(chat.tools ?? []), clockTool] }
}

/** The time in ISO 8601 with the offset of the time zone. */
export function formatLocalTime(timezone: string, at: number): string {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  const [, sign = '+', hours = '00', minutes = '00'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  const offsetMinutes = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes))
  const local = new Date(at + offsetMinutes * 60_000).toISOString().slice(0, -1)
  return `${local}${sign}${hours}:${minutes}`
}
