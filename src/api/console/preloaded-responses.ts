import type { FastifyInstance, FastifyRequest } from 'fastify'

const maxWaitMs = 1_000

/** Headers of the page's request that do not apply to the requests for data. */
const pageOnlyHeaders = ['accept-encoding', 'if-none-match', 'if-modified-since', 'range', 'upgrade-insecure-requests']

/** The successful responses of the API to the first requests of a page, as JSON text by address. */
export type PreloadedResponses = ReadonlyMap<string, string>

/**
 * Requests the data that a page needs first, with the cookies of the page's request, as its script would. A failed or slow
 * request is omitted: the script repeats it.
 */
export async function preloadResponses(
  app: Pick<FastifyInstance, 'inject'>,
  { headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>,
  { addresses, workspace }: { addresses: string[]; workspace: string | undefined },
): Promise<PreloadedResponses> {
  const requestHeaders: Record<string, string | string[] | undefined> = {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => !pageOnlyHeaders.includes(name))),
    accept: 'application/json',
  }
  if (workspace !== undefined) requestHeaders['x-workspace'] = workspace
  const signal = AbortSignal.timeout(maxWaitMs)
  const requests = addresses.map(async (url): Promise<[url: string, text: string][]> => {
    const request = app.inject({ url, headers: requestHeaders, remoteAddress: raw.socket.remoteAddress ?? '', signal })
    const response = await request.catch(() => undefined)
    return response?.statusCode === 200 ? [[url, response.payload]] : []
  })
  return new Map((await Promise.all(requests)).flat())
}

/** Joins the texts without parsing them again. */
export const toJsonObject = (responses: PreloadedResponses): string =>
  `{${[...responses].map(([address, text]) => `${JSON.stringify(address)}:${text}`).join(',')}}`
