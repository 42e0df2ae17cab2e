import type { Caller } from '#identity/accounts/caller.ts'
import { pathIn } from '#platform/http/known-paths.ts'
import { prefix } from './prefix.ts'
import { requireInterns } from './require-interns.ts'

const root = '/interns'

/**
 * Checks the matched route; without one, the path as the router parses it. No spelling of a path bypasses this check.
 */
function isInterns({ url, routeOptions }: InternRequest): boolean {
  return isBelow(routeOptions?.url ?? decoded(pathIn(url)))
}

/** Whether a request without a route was meant for an intern's chat. It has no route if its path cannot be read. */
export function isInternChat({ method, url }: { method: string; url: string }): boolean {
  const path = pathIn(url)
  return method === 'POST' && isBelow(decoded(path)) && path.endsWith('/chat/completions')
}

const isBelow = (path: string | undefined) =>
  path?.startsWith(prefix) === true && isBelowInterns(path.slice(prefix.length))

/** Whether only members of the programme can use this path. The path comes without the common prefix. */
export const isBelowInterns = (path: string) => path === root || path.startsWith(`${root}/`)

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // A path that cannot be decoded as a whole can still start with a known prefix.
    return path.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
}

type InternRequest = {
  url: string
  routeOptions?: { url?: string | undefined }
}

/**
 * Guards every path under /interns, known or not, for every method. For callers outside the programme, all these paths
 * are unknown. The same holds for an intern's own key: interns cannot create, prompt or stop interns.
 * @param callerOf finds the caller by a key for models and interns.
 */
export function guardInterns<Request extends InternRequest>(
  callerOf: (request: Request) => Promise<Caller>,
  request: Request,
): Promise<void> | undefined {
  return isInterns(request) ? requireCaller(callerOf, request) : undefined
}

async function requireCaller<Request>(callerOf: (request: Request) => Promise<Caller>, request: Request) {
  requireInterns(await callerOf(request))
}
