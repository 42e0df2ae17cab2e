import type { RequestHeaders } from '#gateway/protocol/client-protocol.ts'
import type { Generation } from '#spend/ledger/generation.ts'

/** Headers in which programs identify themselves. The first one that is present counts. */
const titleHeaders = ['x-openrouter-title', 'x-title']
const refererHeaders = ['http-referer', 'referer']

/** Longer values are cut. */
const maxTitleLength = 200
const maxRefererLength = 500

/** The program that sent a request, if it identifies itself. */
export function readApp(headers: RequestHeaders): Generation['app'] {
  const title = headerText(headers, titleHeaders)?.slice(0, maxTitleLength)
  const referer = headerText(headers, refererHeaders)
  if (title === undefined && referer === undefined) return undefined
  return { title, referer: referer && withoutSecrets(referer).slice(0, maxRefererLength) }
}

function headerText(headers: RequestHeaders, names: string[]): string | undefined {
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return undefined
}

/** Removes the query and the user name of a URL, which can contain private data. */
const withoutSecrets = (referer: string) => referer.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1')
