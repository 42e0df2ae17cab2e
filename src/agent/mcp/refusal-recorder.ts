import { boundedFetch } from './bounded-fetch.ts'

/**
 * Returns a `fetch` for one server that sends requests unchanged and records responses with status 401. After one,
 * `refusalReason` returns advice for the user.
 * @param headers the configured headers of the server, which decide about the advice.
 */
export function recordRefusals(headers: [name: string, value: string][], fetch: typeof globalThis.fetch) {
  const hasAuthorizationHeader = headers.some(([name]) => name.toLowerCase() === 'authorization')
  let refusal: string | undefined
  return {
    fetch: async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const response = await boundedFetch(fetch, url, init)
      if (response.status === 401) refusal = hasAuthorizationHeader ? refusedToken : missingToken
      return response
    },
    refusalReason: () => refusal,
  }
}

const missingToken =
  'it requires authentication (401): set its credential in the headers of this server in the configuration of the intern ' +
  '(mcp_servers), usually "authorization" with "Bearer …". The agent does not support OAuth'
const refusedToken =
  'it refused the header "authorization" (401): the token is wrong or has expired; set another one in the configuration ' +
  'of the intern (mcp_servers)'
