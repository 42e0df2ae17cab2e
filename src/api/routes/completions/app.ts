import type { Generation } from '#spend/ledger/generation.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** The headers in which programs say who they are; the first that is there counts. */
const titleNames = ['x-openrouter-title', 'x-title']
const refererNames = ['http-referer', 'referer']

/** The program that a request comes from, as far as it says so; undefined for most. */
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

/** Addresses of pages may carry what is nobody's business behind the path, and a user's name before the host. */
const withoutQuery = (referer: string) => referer.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1')
