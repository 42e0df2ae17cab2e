import type { Caller } from '#identity/accounts/caller.ts'
import { parsePath } from '#platform/http/known-paths.ts'
import { apiPrefix } from './prefix.ts'
import { requireInterns } from './require-interns.ts'

const internsPath = '/interns'

/**
 * Whether a request is for a path under /interns. Checks the matched route. If no route matches, checks the path as the
 * router parses it. No spelling of a path bypasses this check.
 */
function isInternsRequest({ url, routeOptions }: InternRequest): boolean {
  return isInternsUrl(routeOptions?.url ?? decodePath(parsePath(url)))
}

/** Whether a request without a route was meant for an intern's chat. It has no route if its path cannot be read. */
export function isInternChat({ method, url }: { method: string; url: string }): boolean {
  const path = parsePath(url)
  return method === 'POST' && isInternsUrl(decodePath(path)) && path.endsWith('/chat/completions')
}

const isInternsUrl = (path: string) => path.startsWith(apiPrefix) && isBelowInterns(path.slice(apiPrefix.length))

/**
 * Whether a path, without the common prefix, is /interns or below it. Only organizations with `interns_programme` can use
 * these.
 */
export const isBelowInterns = (path: string) => path === internsPath || path.startsWith(`${internsPath}/`)

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // A path that cannot be decoded as a whole can still start with a known prefix.
    return path.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
}

type InternRequest = { url: string; routeOptions?: { url?: string | undefined } }

/**
 * Guards every path under /interns, known or not, for every method. For callers whose organization has `interns_programme`
 * off, all these paths are unknown. The same holds for an intern's own key: interns cannot create, prompt or stop interns.
 * @param callerOf finds the caller by a key for models and interns.
 * @returns undefined for other paths, so that they do not wait for a promise.
 */
export function guardInterns<Request extends InternRequest>(
  callerOf: (request: Request) => Promise<Caller>,
  request: Request,
): Promise<void> | undefined {
  return isInternsRequest(request) ? requireInternsCaller(callerOf, request) : undefined
}

async function requireInternsCaller<Request>(callerOf: (request: Request) => Promise<Caller>, request: Request) {
  requireInterns(await callerOf(request))
}
