import type { Generation } from '#spend/ledger/generation.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Headers in which programs identify themselves. The first one that is present counts. */
const titleNames = ['x-openrouter-title', 'x-title']
const refererNames = ['http-referer', 'referer']

/** The program that sent a request, if it identifies itself. */
export function appOf(headers: Headers): Generation['app'] {
  const title = headerText(headers, titleNames)?.slice(0, 200)
  const referer = headerText(headers, refererNames)
  if (title === undefined && referer === undefined) return undefined
  return { title, referer: referer && withoutQuery(referer).slice(0, 500) }
}

function headerText(headers: Headers, names: string[]): string | undefined {
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return undefined
}

/** Removes the path and user name of a URL, which can contain private data. */
const withoutQuery = (referer: string) => referer.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1')
