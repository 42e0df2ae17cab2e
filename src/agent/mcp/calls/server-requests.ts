import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Client, ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client'
import { printable } from '#platform/text/printable.ts'
import type { Elicitation, FormAnswer } from '../../tools/tool.ts'
import { type McpServerSpec, redactSecrets } from '../server-spec.ts'

/** Asks the user a question of a server. */
export type AskUser = (question: Elicitation, signal: AbortSignal) => Promise<FormAnswer>

/** `askUser` is undefined if the client of the agent cannot show questions. */
type RequestDeps = { spec: McpServerSpec; workspace: string; askUser: AskUser | undefined }

type Library = Pick<typeof import('@modelcontextprotocol/client'), 'ProtocolError' | 'ProtocolErrorCode'>

/** The capabilities of a client that answers requests. A remote server could not read the workspace, so it gets no roots. */
export const clientCapabilities = ({ spec, askUser }: RequestDeps) => ({
  ...(askUser && { elicitation: { form: {}, url: {} } }),
  ...(spec.type === 'stdio' && { roots: {} }),
})

/** Answers the requests of a server: questions to the user, and its roots. The model of the agent is not available to servers. */
export function handleServerRequests(
  { ProtocolError, ProtocolErrorCode }: Library,
  client: Client,
  deps: RequestDeps,
): void {
  const { spec, workspace, askUser } = deps
  const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
  if (askUser)
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq: { signal } }) =>
      toResult(await askUser(toQuestion(spec, params, invalid), signal), params),
    )
  if (spec.type === 'stdio')
    client.setRequestHandler('roots/list', () => ({
      roots: [{ uri: pathToFileURL(workspace).href, name: basename(workspace) }],
    }))
  client.fallbackRequestHandler = async ({ method }) => {
    const reason = method === 'sampling/createMessage' ? samplingRefusal : `This client does not support ${method}.`
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, reason)
  }
}

const samplingRefusal = 'This client does not let MCP servers use its model (sampling). Call a model with your own key.'

/** The largest question, in UTF-16 units. */
const maxQuestionLength = 64 * 1024

/** A question as the user sees it, with the name of the server. @throws what `invalid` creates */
export function toQuestion(
  spec: McpServerSpec,
  params: ElicitRequestParams,
  invalid: (message: string) => Error,
): Elicitation {
  const text = redactSecrets(spec, JSON.stringify(params))
  if (text.length > maxQuestionLength)
    throw invalid(`The question has ${text.length} characters; at most ${maxQuestionLength} can be shown.`)
  const question = JSON.parse(text) as ElicitRequestParams
  const message = `The MCP server ${spec.name} asks: ${printable(question.message)}`
  if (question.mode !== 'url') return { mode: 'form', message, requestedSchema: question.requestedSchema }
  const url = URL.parse(question.url)
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw invalid('The URL must start with https:// or http://.')
  return { mode: 'url', message, url: url.href, elicitationId: question.elicitationId ?? '' }
}

/** The answer to a URL has no content. */
function toResult(answer: FormAnswer, { mode }: ElicitRequestParams): ElicitResult {
  if (answer.action !== 'accept' || mode === 'url') return { action: answer.action }
  return { action: 'accept', content: answer.content as NonNullable<ElicitResult['content']> }
}
