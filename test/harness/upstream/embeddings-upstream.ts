import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts'

type Body = { model: string; input: string[]; encoding_format?: string }

/** The vector that the upstream returns for the input at a position. */
export const vectorAt = (index: number) => [index + 0.5, -0.25]

/** The tokens that the upstream counts: one for each character. */
export const tokensOf = (inputs: string[]) => inputs.reduce((sum, input) => sum + input.length, 0)

const respondTo = ({ input, encoding_format: format }: Body) => {
  const count = tokensOf(input)
  return {
    object: 'list',
    model: 'upstream-model',
    data: input.map((_, index) => {
      const vector = vectorAt(index)
      const base64 = Buffer.from(Float32Array.from(vector).buffer).toString('base64')
      return { object: 'embedding', index, embedding: format === 'base64' ? base64 : vector }
    }),
    usage: { prompt_tokens: count, total_tokens: count },
  }
}

type EmbeddingsResponse = ReturnType<typeof respondTo>

/** How the responses for these models differ. A number is an error status. */
const responseChanges: Record<string, number | ((response: any, body: Body) => object)> = {
  broken: 500,
  invalid: 400,
  short: ({ data, ...response }: EmbeddingsResponse) => ({ ...response, data: data.slice(1) }),
  twice: ({ data, ...response }: EmbeddingsResponse) => ({ ...response, data: [data[0], ...data.slice(0, -1)] }),
  empty: ({ data, ...response }: EmbeddingsResponse) => ({
    ...response,
    data: data.map((item) => ({ ...item, embedding: [] })),
  }),
  chat: () => ({ choices: [{ message: { role: 'assistant', content: 'Hi' } }] }),
  error: () => ({ error: { message: 'no capacity', code: 503 } }),
  reversed: ({ data, ...response }: EmbeddingsResponse) => ({ ...response, data: data.toReversed() }),
  floats: (_, body) => respondTo({ ...body, encoding_format: 'float' }),
  base64: (_, body) => respondTo({ ...body, encoding_format: 'base64' }),
  nousage: ({ usage: _, ...response }: EmbeddingsResponse) => response,
  totalonly: ({ usage, ...response }: EmbeddingsResponse) => ({
    ...response,
    usage: { total_tokens: usage.total_tokens },
  }),
  textusage: ({ usage, ...response }: EmbeddingsResponse) => ({
    ...response,
    usage: { prompt_tokens: String(usage.total_tokens) },
  }),
}

/** An upstream of OpenAI's and Gemini's embeddings on a real socket. The name of a model changes its responses. */
export function startEmbeddingsUpstream(): Promise<ScriptedUpstream> {
  return startScriptedUpstream(({ path, body }) => {
    const json = (status: number, response: object) => ({
      status,
      type: 'application/json',
      body: JSON.stringify(response),
    })
    if (path.endsWith(':batchEmbedContents'))
      return json(200, { embeddings: body.requests.map((_: unknown, index: number) => ({ values: vectorAt(index) })) })
    if (path !== '/v1/embeddings') return json(404, { error: { message: `no ${path} here` } })
    const change = responseChanges[body.model]
    if (typeof change === 'number') return json(change, { error: { message: `status ${change} of ${body.model}` } })
    const response = respondTo(body)
    return json(200, change?.(response, body) ?? response)
  })
}
