import type { FastifyInstance, FastifyRequest } from 'fastify'

const maxWaitMs = 1_000

/** Headers of the page's request that do not apply to the requests for data. */
const pageOnly = ['accept-encoding', 'if-none-match', 'if-modified-since', 'range', 'upgrade-insecure-requests']

/** The successful answers of the API to the first requests of a page, as JSON text by address. */
export type PreloadedAnswers = ReadonlyMap<string, string>

/**
 * Requests the data that a page needs first, with the cookies of the page's request, as its script would. A failed or slow
 * request is omitted: the script repeats it.
 */
export async function preloadedAnswers(
  app: Pick<FastifyInstance, 'inject'>,
  { headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>,
  { addresses, workspace }: { addresses: string[]; workspace: string | undefined },
): Promise<PreloadedAnswers> {
  const requestHeaders = {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => !pageOnly.includes(name))),
    accept: 'application/json',
    ...(workspace !== undefined && { 'x-workspace': workspace }),
  }
  const signal = AbortSignal.timeout(maxWaitMs)
  const answers = addresses.map(async (url): Promise<[string, string][]> => {
    const request = app.inject({ url, headers: requestHeaders, remoteAddress: raw.socket.remoteAddress ?? '', signal })
    const answer = await request.catch(() => undefined)
    return answer?.statusCode === 200 ? [[url, answer.payload]] : []
  })
  return new Map((await Promise.all(answers)).flat())
}

export const jsonOf = (answers: PreloadedAnswers): string =>
  `{${[...answers].map(([address, text]) => `${JSON.stringify(address)}:${text}`).join(',')}}`
